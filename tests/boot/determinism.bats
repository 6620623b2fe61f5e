#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Under -icount, time is a count of instructions: two runs give the same values, or the engine's
# arithmetic depends on something that it should not.

load helper

counted_run() {
	machine
	DISK=none boot 240 -icount shift=5,sleep=off -rtc base=2026-01-01T00:00:00,clock=vm -kernel "$efi" \
		-append 'profile=smoke probes=clock rooms=bare finish=poweroff'
	serial_result bare
	# Not the run line: how long Stall takes depends on what the host's devices did before.
	grep -v -e '"kind":"run"' -e '"kind":"end"' "$vm/serial.ndjson" >"$1"
}

@test "two runs under -icount give identical lines" {
	counted_run "$BATS_TEST_TMPDIR/first"
	counted_run "$BATS_TEST_TMPDIR/second"
	[ "$(grep -c '"kind":"row"' "$BATS_TEST_TMPDIR/first")" -ge 5 ]
	diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}
