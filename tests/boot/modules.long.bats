#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Memory modules as the firmware states them: in both rooms, on the card, and what compare says of two.

load helper

@test "modules of another rate: the run line, the card, and the sentence of compare" {
	for speed in 3200 4800; do
		machine 'probes = clock,latency'
		boot -smbios "type=17,loc_pfx=DIMM,manufacturer=acme,part=P-$speed,speed=$speed" \
			-smbios type=0,vendor=mill,version=F-$speed,date=11/24/2026
		results
		for room in firmware bare; do
			complete $room
			[ "$(first_of $room smbios.memory_modules)" = "\"1 x 2 GiB at $speed MT/s\"" ]
			[ "$(first_of $room smbios.memory_limit_gbs)" = null ]
			[ "$(first_of $room smbios.why)" = '"the firmware states no type of module"' ]
			[ "$(first_of $room 'smbios.modules[0].part')" = "\"P-$speed\"" ]
			[ "$(first_of $room smbios.firmware_version)" = "\"F-$speed\"" ]
		done
		said "memory modules     1 x 2 GiB at $speed MT/s (no limit known)"
		cp "$vm"/results/*-bare.ndjson "$BATS_TEST_TMPDIR/$speed.ndjson"
		rm -r "$vm"
	done
	build/anechoic compare "$BATS_TEST_TMPDIR"/{3200,4800}.ndjson >"$BATS_TEST_TMPDIR/said" || true
	cat "$BATS_TEST_TMPDIR/said"
	tr -s '\n ' ' ' <"$BATS_TEST_TMPDIR/said" |
		grep -F 'memory modules 1 x 2 GiB at 3200 MT/s / 1 x 2 GiB at 4800 MT/s'
}
