#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How the machine comes back to the medium after room bare, and what of it is left: nothing.

load helper

# What OVMF itself writes: MTC, the high half of its monotonic count, at each start; HDDP, where it found
# the partition of a boot option that names no more of its device, as ours. Of ours, the count of
# power-offs stays.
changing='MTC|HDDP|AnechoicJournal'

# kept NAME: all variables but those, to a file of that name.
kept() {
	python3 tests/boot/nvram.py "$vm/vars.fd" | grep -vE "^($changing) " >"$vm/$1"
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
	configure
	boot
	results
	complete bare
	kept after
	diff "$vm/before" "$vm/after"
}
