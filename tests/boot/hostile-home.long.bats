#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How the machine comes back to the medium after room bare, and what of it is left: nothing.

load helper

# What OVMF itself writes at a start: the high half of its counter, and the count of what it booted.
firmwares_own='MTC'

# kept NAME: all variables but the firmware's own and our count of power-offs, which stays, to a file
# of that name.
kept() {
	python3 tests/boot/nvram.py "$vm/vars.fd" | grep -vE "^($firmwares_own|AnechoicEnds) " >"$vm/$1"
	cut -c 1-110 "$vm/$1"
	[ "$(grep -c . "$vm/$1")" -ge 5 ]
}

@test "boot-renumbered: comes home by an option of its own, which the next start deletes" {
	export DISK=usb
	machine 'rooms = firmware'
	boot # the firmware makes its own options
	kept before
	configure 'rooms = bare'
	hostile boot-renumbered=0 # the firmware's setup
	boot
	results
	complete bare
	kept after
	cmp "$vm/before" "$vm/after"
}

@test "the user's variables are the same before and after a whole circle, all of them" {
	export DISK=usb
	machine 'rooms = firmware'
	boot
	kept before
	configure 'rooms = both'
	boot
	results
	complete bare
	kept after
	diff "$vm/before" "$vm/after"
}
