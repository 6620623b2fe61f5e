#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A hang is a reset: the watchdog of q35's chipset, which QEMU lets reset the machine if it is asked to.
# The other timers, and hangs in every step: watchdog.long.bats; runs that end well: machines.bats.

load helper
load watchdog_helper

@test "a row of room bare hangs: the next start names it, what was measured is kept" {
	# In smoke a busy host may have no time for the third row, which hangs.
	provoking 'profile = default' 'watchdog = 20' 'provoke_bare = hang'
	start "${tco[@]}"
	await "watchdog: the chipset's TCO timer"
	await 'the watchdog has reset the machine'
	off_at 'room 1 of 2, firmware' 2
	said 'ended while this ran:'
	said 'clock'
	results
	[ -n "$(ls "$vm"/results/*-firmware.ndjson)" ]
}
