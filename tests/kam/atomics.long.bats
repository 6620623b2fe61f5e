#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Locked operations cost what the machine states: alone in both layers, of several cores in layer a.

load atomics_helper

@test "two cores with a last cache each, three behind one: each row, each value, each share" {
	rows="$alone $together"
	values='lock_add_cycles cas_cycles atomics_shared_ns false_sharing_ratio'
	for machine in pair trio; do
		measured tests/kam/atomics/$machine.ini
		right ''
		printf '%s\n' "$output" | grep -q '^atomics shares .*rows ok$'
		# The rows of additions in one line have bounds only: atomics_edits.py.
		tests/kam/row_edits.py tests/kam/atomics/$machine.ini "$result" "$BATS_TEST_TMPDIR/rows" \
			$(printf 'atomics:%s ' ${rows/false-sharing-add /})
		tests/kam/atomics_edits.py tests/kam/atomics/$machine.ini "$result" "$BATS_TEST_TMPDIR/edits"
	done
	[ "$(jq -s '[.[] | select(.probe == "atomics" and .params.cpus == 3)] | length' "$result")" = 6 ]
}

@test "alone in both rooms of layer b; the rows of two CPUs say that there is one" {
	rows=$alone values='lock_add_cycles cas_cycles'
	measured tests/kam/atomics/pair.ini --layer b --rooms both
	right @firmware
	right @bare
	[ "$(jq -r 'select(.kind == "skip" and .probe == "atomics") | .reason' "$result" | sort | uniq -c |
		tr -s ' ')" = ' 12 no second processor' ]
}
