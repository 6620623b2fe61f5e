#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Under -icount, time is a count of instructions: two runs give the same values, or the engine's
# arithmetic depends on something that it should not. Nothing is stored: -kernel's volume takes no file.

load helper

# Rows and what was inferred, in ticks of the TSC: how many of them a second has is measured against
# devices, whose phase is the host's, and so is when a row was done.
counted_run() {
	machine
	DISK=none boot -icount shift=5,sleep=off -rtc base=2026-01-01T00:00:00,clock=vm -kernel "$efi" \
		-append 'profile=smoke probes=clock rooms=bare store=off finish=poweroff prompt=0 countdown=0'
	serial_result bare
	jq -cs '.[0].tsc_hz as $hz
		| def ticks: . * $hz / 1e9 * 1e3 | round / 1e3;
		def share: . / $hz * 1e6 | round / 1e6;
		def times(f): (.min, .p10, .median, .p90, .p99, .max, .mean, .values[]) |= if . then f else . end;
		.[] | select(.kind == "row" or .kind == "skip") | del(.at_seconds, .crc)
		| if .core_hz then .core_hz |= share else . end
		| if .unit == "ns/op" then times(ticks)
			elif .unit == "GHz" then times(. * 1e9 | share) else . end' \
		"$vm/serial.ndjson" >"$1"
}

@test "two runs under -icount give identical rows" {
	counted_run "$BATS_TEST_TMPDIR/first"
	counted_run "$BATS_TEST_TMPDIR/second"
	[ "$(grep -c '"kind":"row"' "$BATS_TEST_TMPDIR/first")" -ge 10 ]
	diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}
