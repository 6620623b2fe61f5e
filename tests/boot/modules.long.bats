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

@test "the second start says what changed since the first one, in both rooms and at the harvest; another machine's not" {
	machine 'probes = clock,latency'
	board=(-uuid 11223344-5566-7788-99aa-bbccddeeff00)
	boot "${board[@]}" -smbios type=17,loc_pfx=DIMM,speed=3200
	refute said 'Since '
	boot "${board[@]}" -smbios type=17,loc_pfx=DIMM,speed=4800
	narrow
	said 'differs: memory modules 1 x 2 GiB at 4800 MT/s, was 1 x 2 GiB at 3200 MT/s'
	[ "$(grep -cE '^Since [0-9TZ]+-firmware\.ndjson \(EMULATED: no difference means anything\)$' "$vm/console")" = 1 ]
	[ "$(grep -cE '^Since [0-9TZ]+-bare\.ndjson \(EMULATED' "$vm/console")" = 2 ] # in the room, and at the harvest
	configure 'probes = clock,latency' 'rooms = firmware'
	boot -uuid 99223344-5566-7788-99aa-bbccddeeff00
	refute said 'Since '
	# Beside a result that was cut, the one before it.
	results
	newest=$(basename "$(ls "$vm"/results/*-firmware.ndjson | sed -n 2p)")
	head -c 5000 "$vm/results/$newest" >"$vm/cut"
	put "$vm/cut" "/results/$newest"
	start "${board[@]}" # the fourth power-off in a row is none
	await "Since $(basename "$(ls "$vm"/results/*-firmware.ndjson | head -n 1)") (EMULATED"
	off
}
