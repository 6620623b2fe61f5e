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

@test "xd-disabled, hpet-frozen, thermal-lvt-smi: all at once, and room bare's result comes home" {
	hostile xd-disabled,hpet-frozen,thermal-lvt-smi
	comes_home
	says 'TSC by hpet +not available' 'TSC by pit .*timed'
}

@test "entry-reused: it is left alone, and room bare's result comes home" {
	hostile entry-reused
	comes_home
}

# gives SOURCE: its rate is that of the machine, 2.5 GHz.
gives() {
	jq -es --arg source "$1" 'map(select(.kind == "run").tsc_sources[] | select(.name == $source).hz / 2.5e9) |
		length > 0 and (map(. > 0.9998 and . < 1.0002) | all)' "$result" >/dev/null ||
		came "expected 2.5 GHz by $1: $(grep -o "\"name\":\"$1\",\"hz\":[0-9]*" "$result")"
}

@test "hpet-smis, stall-late: of several readings the closest counts, and both give the right rate" {
	hostile hpet-smis,stall-late
	comes_home
	gives hpet
	gives stall
}
