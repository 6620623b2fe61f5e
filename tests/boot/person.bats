#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A person at the machine: the opening prompt, and the countdown before the reset.

load helper

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
	await 'The firmware now takes its next boot entry'
	off
	show
	results
	complete bare
	absent firmware
	[ "$(first_of bare profile)" = '"smoke"' ]
	narrow
}
