#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A hang in each step, in a row of either room, and each timer that QEMU has.

load helper
load watchdog_helper

# resets LINE...: such a machine is reset, and its next start says so and measures again.
resets() {
	provoking 'watchdog = 20' "$@"
	start "${timer[@]}"
	await 'the watchdog has reset the machine'
	off_at 'room 1 of 2, firmware' 2
}

@test "a row of room firmware, where interrupts are off and UEFI's own timer stands still" {
	timer=("${tco[@]}")
	resets 'provoke_firmware = hang'
	said 'ended while this ran:'
	said 'clock lfence-rdtsc'
	# The file of the run that hung is there, as far as it was written, once a second; each line is whole.
	results
	for file in "$vm"/results/*-firmware.ndjson; do
		[ ! -s "$file" ] || jq -e .kind "$file" >/dev/null
	done
}

# What hangs at the exit and in the first call after it leaves the same note: "runtime" (kernel/journal.c).
@test "every step: it is named" {
	local step named
	timer=("${tco[@]}")
	for step in mp-services exit cpus setvar; do
		named=$step
		[ $step != exit ] || named=runtime
		rm -rf "$vm" # three resets in a row, and there is no watchdog
		SMP=2 resets "provoke_step = $step"
		grep -E "did not come back from: $named|last note of the start of .* is: $named" "$vm/console"
	done
}

@test "a row of room bare, by ACPI's WDAT" {
	make_wdat "$BATS_TEST_TMPDIR/wdat"
	timer=("${tco[@]}" -acpitable "file=$BATS_TEST_TMPDIR/wdat")
	resets 'provoke_bare = hang'
	said "watchdog: ACPI's WDAT"
	said 'ended while this ran:'
}

@test "three in a row: then it is not started, and the machine stays where it hangs" {
	timer=("${tco[@]}")
	provoking 'watchdog = 5' 'rooms = firmware' 'provoke_firmware = hang'
	start "${timer[@]}"
	await 'the watchdog has reset the machine' 3
	await 'no watchdog (the last 3 runs ended in a reset)'
	off
}

@test "a run that ends well: not reset while it is watched, and the timer halts" {
	machine 'watchdog = 60'
	timer=("${tco[@]}")
	boot "${timer[@]}"
	both_complete
	refute grep 'has reset the machine' "$vm/console"
}

# A hang may come at any time of a run, so the next start may be more than ten minutes after the last one.
@test "three in a row, each late in its run: they are in a row" {
	local minutes
	machine 'watchdog = 120' 'profile = default'
	for minutes in 00 11 22; do
		start "${tco[@]}" -rtc "base=2026-01-02T10:$minutes:00"
		await "watchdog: the chipset's TCO timer"
		await 'room 1 of 2, firmware'
		off
	done
	start "${tco[@]}" -rtc 'base=2026-01-02T10:33:00'
	await 'no watchdog (the last 3 runs ended in a reset)'
	off
}
