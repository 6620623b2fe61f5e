#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A step that hangs costs two starts: \anechoic.state, and the keys that choose by hand what it chooses. Steps
# that hang in the known-answer machine: tests/kam/hostile-runtime.bats; hostile.long.bats for what else hangs.

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

# state: what the state file says, without the machine and the checksum.
state() {
	mtype -i "$vm/disk.img@@1M" ::/anechoic.state | grep -E '^(at|hung)' || true
}

@test "mp-never-returns: tried a second time; then the next start measures without it" {
	machine 'rooms = firmware'
	hostile mp-never-returns
	for note in "anechoic" "that is tried again"; do
		SMP=2 start
		await "by the firmware's MP Services"
		off
		show
		said "$note"
		[[ $(state) == "at mp-services "* ]]
	done
	SMP=2 boot
	said 'did not come back from: mp-services'
	said 'state = clear'
	results
	complete firmware
	[ "$(first_of firmware cpus)" = 1 ]
	[[ $(state) == "hung mp-services "* ]]
}
