#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A step that hangs costs two starts: \anechoic.state. More: steps.long.bats, and hostile.long.bats for what hangs.

load helper

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
