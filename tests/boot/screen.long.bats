#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the display shows, read from a screendump: tests/unit/kernel/dashboard_test.c looks at the pictures.

load helper

# shows TEXT: it is on the display as it was last looked at.
shows() {
	grep -qF -- "$1" "$vm/screen" || { echo "the display does not show: $1"; return 1; }
}

# both_rooms: the head and what runs in each room, then the end screen.
both_rooms() {
	machine 'store = off' 'finish = halt' 'probes = clock,latency,noise'
	start
	await 's left of all: '
	await 'clock: time stamps'
	await 'latency: latency of dependent loads'
	screen
	shows 'anechoic: QEMU TCG CPU'
	shows 'room firmware, 1 of 2'
	shows 's left of all: '
	await '"room":"firmware","seq":0'
	screen
	shows 'this room has ended'
	await 'room 2 of 2, bare'
	await 's left to measure: '
	await 'latency: latency of dependent loads'
	await 'The machine as measured in room bare'
	await 'finished and halted'
}

@test "1280x800: the head in each room, at the end the card beside pictures, and what comes next" {
	both_rooms
	screen
	shows 'anechoic: QEMU TCG CPU'
	shows 'room bare: finished'
	shows 'The machine as measured in room bare   EMULATED'
	shows 'Latency of dependent loads'
	shows 'finished and halted'
}

@test "640x480: the same, with the card and the pictures in small letters" {
	export DISPLAY_CARD=VGA,xres=640,yres=480
	both_rooms
	screen
	shows 'room bare: finished'
	shows 'finished and halted'
	screen 8 65 1 1 6 10
	shows 'The machine as measured in room bare   EMULATED'
}

@test "a display that only Blt reaches: pictures in room firmware, and then nothing new" {
	export DISPLAY_CARD=virtio-gpu-pci
	machine 'rooms = firmware' 'finish = halt' 'probes = latency'
	start
	await 'latency: latency of dependent loads'
	await 'finished and halted'
	screen
	shows 'room firmware: finished'
	shows 'The machine as measured in room firmware'
	shows 'Latency of dependent loads'
	shows 'finished and halted'
}

@test "screen = off: the firmware's console has the display, and room bare shows nothing" {
	machine 'store = off' 'finish = halt' 'screen = off'
	start
	await 'The display shows nothing new from here on (screen = off)'
	await 'finished and halted'
	screen
	refute shows 'room bare'
}

@test "the end screen stays for screen_seconds, and a key holds it" {
	machine 'rooms = bare' 'countdown = 1' 'screen_seconds = 600' 'finish = firmware'
	start
	await 'What comes next: the machine resets'
	await 'reset in 600 s'
	press spc
	await 'held: it goes on at the next key'
	screen
	shows 'room bare: finished'
	press spc
	await "The last start's room bare is now in"
	await 'The firmware now takes its next boot entry'
	screen
	shows 'room bare: finished'
	shows 'back to the firmware'
}
