#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Locked operations cost what the machine states: alone in both layers, of several cores in layer a.

load atomics_helper

@test "two cores with a last cache each: each row, each value, each share" {
	rows="$alone $together"
	values='lock_add_cycles cas_cycles atomics_shared_ns false_sharing_ratio'
	measured tests/kam/atomics/pair.ini
	right ''
	printf '%s\n' "$output" | grep -q '^atomics shares .*rows ok$'
}
