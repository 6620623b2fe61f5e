#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Values are right as often as they say that they are sure; and where they are not, it is noticed.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
}

@test "known-answer machines with noise, and guests: values are right as often as they say, none is far off" {
	tests/kam/calibration.py
}

@test "values that are surer than they are right are noticed: by what they say, and by their name" {
	run tests/kam/calibration.py --keep --falsify mispredict_cycles
	printf '%s\n' "$output" | grep '^mispredict_cycles .*too sure$'
	[ "$status" = 1 ]
	run tests/kam/calibration.py --keep --falsify all
	printf '%s\n' "$output" | grep '^0\.[0-9]* to [01]\.[0-9]* .*too sure$'
	[ "$status" = 1 ]
}

@test "a value that is half sure and 15 % beside the truth is named, with its machine and seed" {
	run tests/kam/calibration.py --keep --falsify l1d_latency_cycles
	printf '%s\n' "$output" | grep '^far off: by 30 %, [0-9]* % sure: small quiet 1: l1d_latency_cycles '
	[ "$status" = 1 ]
}
