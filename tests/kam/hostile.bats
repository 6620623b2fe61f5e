#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The image on machines that misbehave, as in tests/hostile/misbehaviours.def: room bare is entered,
# measures right, and ends as expected. Those that do the most harm; hostile.long.bats has the
# others.

load hostile_helper

@test "a machine that behaves: the result comes home by variables and a reset" {
	hostile none
	comes_home
}

@test "exit-refused, map-grows, map-2000: room bare's result comes home, here after seven refusals" {
	hostile exit-refused=7,map-grows,map-2000
	comes_home
}

@test "setvar-writes-472, setvar-runs-boot-code: the result is stored" {
	hostile setvar-writes-472,setvar-runs-boot-code
	comes_home
}

@test "setvar-reads-high: the first call after the exit is given its page" {
	hostile setvar-reads-high
	comes_home
	says 'SetVariable used 1 page.s. not asked for, from 140000000'
}

@test "reset-faults: the next way to reset is tried" {
	home_by="reset by 64h"
	hostile reset-faults
	comes_home
	says "the firmware's ResetSystem faulted: general protection" \
		'resetting by the keyboard controller'
}

@test "xd-disabled, hpet-frozen, thermal-lvt-smi: all at once, and room bare's result comes home" {
	hostile xd-disabled,hpet-frozen,thermal-lvt-smi
	comes_home
	says 'TSC by hpet +not available' 'TSC by pit .*timed'
}

@test "mp-never-returns: the hang costs one start" {
	hostile mp-never-returns --rooms both
	ends "hang in StartupThisAP" "reset by ACPI's register" halted
	measured firmware
	measured bare
	says 'did not come back from: mp-services'
}
