#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How the machine comes back to the medium after room bare, and what of it is left: nothing.

load helper

# kept NAME: the variables that belong to the machine's user, and ours, to a file of that name.
kept() {
	python3 tests/boot/nvram.py "$vm/vars.fd" | grep -E '^(Boot|Anechoic)' |
		grep -v '^AnechoicEnds ' >"$vm/$1" # the count of power-offs stays
	cut -c 1-110 "$vm/$1"
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
