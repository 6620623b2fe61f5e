#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# noise finds what a planted disturber does. The disturber says itself when it ran and for how long;
# nothing else that the machine does is judged.

load helper

setup() {
	program
	cpu=$(($(nproc) - 1))
}

@test "noise finds a disturber that runs every 10 ms for 300 us: how often and how long" {
	run build/disturb $cpu 0
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ] || { echo "disturb: exit $status: $output"; return 1; }
	# Other work on this processor may hide the disturber from a scan, not from three.
	scan_finds_disturber || scan_finds_disturber || scan_finds_disturber
}

scan_finds_disturber() {
	build/disturb $cpu 300 >"$dir/diary" &
	local disturber=$!
	build/anechoic run --profile smoke --probe noise:gaps --noise_seconds 2 --cpu $cpu --memory 16m \
		--scheduler fifo --force --out "$dir/result" >"$dir/text"
	kill $disturber
	wait $disturber
	python3 tests/cli/check_noise.py "$dir/result" "$dir/diary"
}
