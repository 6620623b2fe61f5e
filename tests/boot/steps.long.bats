#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The state file and the keys that choose by hand what it chooses. tests/boot/steps.bats has more.

load helper

@test "a step is forgotten where the configuration says so, or there is no state file" {
	machine 'rooms = firmware'
	hostile mp-never-returns
	SMP=2 start
	await "by the firmware's MP Services"
	off
	put "$efi" /EFI/BOOT/BOOTX64.EFI # no longer
	configure 'rooms = firmware' 'state = off'
	SMP=2 boot
	refute said 'did not come back'
	mdel -i "$vm/disk.img@@1M" '::/results/*'
	configure 'rooms = firmware' 'state = clear'
	SMP=2 boot
	refute said 'did not come back'
	results
	[ "$(first_of firmware cpus)" = 2 ]
}

@test "CPUs are left out by hand" {
	machine 'rooms = firmware' 'cpus = 1'
	SMP=2,threads=2 boot
	said 'cpus = 1'
	results
	[ "$(first_of firmware siblings)" = '"unknown"' ] # it waits as the firmware has it wait
	configure 'rooms = firmware' 'mp_services = off'
	SMP=2 boot
	said 'mp_services = off'
}
