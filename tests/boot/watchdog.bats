#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A hang is a reset: the watchdog of q35's chipset, which QEMU lets reset the machine if it is asked to.
# The other timers, and hangs in every step: watchdog.long.bats.

load helper
load watchdog_helper

@test "a row of room bare hangs: the next start names it, what was measured is kept" {
	provoking 'watchdog = 20' 'provoke = hang' 'provoke_room = bare'
	start "${tco[@]}"
	await "watchdog: the chipset's TCO timer"
	await 'the watchdog has reset the machine'
	await 'room 1 of 2, firmware' 2
	off
	show
	said 'ended while this ran:'
	said 'clock'
	results
	[ -n "$(ls "$vm"/results/*-firmware.ndjson)" ]
}

@test "a run that ends well is not reset, and the next start claims no hang" {
	machine
	both_rooms_complete
	grep -q "watchdog: the chipset's TCO timer" "$vm/console"
	said "(QEMU's only with -global ICH9-LPC.noreboot=false)" # no register tells whether it is
	refute grep 'has reset the machine' "$vm/console"
}
