#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of atomics_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load atomics_stated

@test "two cores with a last cache each, three behind one: each row, each value, each share" {
	for name in pair trio; do
		measured probes/atomics/$name.ini
		right
		ok 'atomics shares .*rows'
		# The rows of additions in one line have bounds only: value_edits.py.
		row_edits ${rows/false-sharing-add /}
		value_edits 4 1.04
	done
	[ "$(jq -s '[.[] | select(.probe == "atomics" and .params.cpus == 3)] | length' "$result")" = 6 ]
}

@test "alone in both rooms of layer b; the rows of two CPUs say that there is one" {
	rows=$alone values='lock_add_cycles cas_cycles'
	in_both_rooms probes/atomics/pair.ini
	[ "$(jq -r 'select(.kind == "skip" and .probe == "atomics") | .reason' "$result" | sort | uniq -c |
		tr -s ' ')" = ' 12 no second processor' ]
}
