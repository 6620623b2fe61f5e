#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A person at the machine: the opening prompt, the countdown before the reset, Esc in each place, and what
# follows a run that ends in the firmware.

load helper

@test "Esc at the opening prompt: nothing is measured, and the firmware goes on" {
	machine 'prompt = 600'
	start
	await 'keys: p another profile'
	press esc
	await 'leaving: nothing is measured'
	await 'EFI Internal Shell' # the next boot entry
	off
	results
	absent firmware
	absent bare
}

@test "Esc in room firmware: the rows so far are kept, room bare is left out" {
	machine 'profile = full' 'probes ='
	start
	await 'room 1 of 2, firmware: about 900 s; Esc ends it'
	await 'row 20,'
	press esc
	await 'Esc was pressed: room bare is left out'
	ends
	results
	ended interrupted firmware
	absent bare
	narrow
}

@test "Esc in room bare: the rows so far come home" {
	machine 'profile = full' 'probes =' 'rooms = bare'
	start
	await 'room 1 of 1, bare: about 900 s'
	await 'row 20,'
	press esc
	ends
	results
	ended interrupted bare
	narrow
}

@test "a key that is not Esc ends no room" {
	machine 'probes = clock,latency' 'rooms = bare'
	start
	await 'room 1 of 1, bare'
	for _ in 1 2 3; do
		press spc
	done
	ends
	results
	complete bare
}

@test "back in the firmware, it takes the next boot entry" {
	decoy "$BATS_TEST_TMPDIR/decoy.img"
	machine 'rooms = firmware' 'finish = firmware'
	start -drive "if=none,id=next,format=raw,file=$BATS_TEST_TMPDIR/decoy.img" \
		-device virtio-blk-pci,drive=next,bootindex=2
	await 'The firmware now takes its next boot entry'
	press spc
	await '(decoy)'
	off
	results
	complete firmware
}

@test "a display that only Blt reaches: what will be seen is said before" {
	export DISPLAY_CARD=virtio-gpu-pci
	machine 'rooms = bare' 'store = off' 'finish = halt'
	start
	await 'The display shows nothing new from here on (Blt only).'
	off_at 'halted'
	narrow
}

@test "keys choose profile and rooms; a key holds the countdown; what comes next is said" {
	machine 'profile = full' 'prompt = 600' 'countdown = 600' 'finish = firmware'
	start
	await 'keys: p another profile'
	press p
	await 'profile smoke: 10 s a room; rooms: firmware, then bare'
	press r
	await 'rooms: firmware only'
	press r
	await 'rooms: bare only'
	press ret
	await 'room 1 of 1, bare: about 10 s; Esc ends it (not of a USB keyboard)'
	await 'What comes next: the machine resets'
	await 'a key of a PS/2 keyboard or the serial line holds it'
	await 'reset in 6'
	press spc
	await 'held: it goes on at the next key'
	press spc
	await "The last start's room bare is now in"
	off_at 'The firmware now takes its next boot entry'
	results
	complete bare
	absent firmware
	[ "$(first_of bare profile)" = '"smoke"' ]
	narrow
}
