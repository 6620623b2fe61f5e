#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The way of a result from room to file with the power cut.

load helper

# cut_at TEXT: starts the machine, cuts the power as soon as TEXT is seen, and notes what it had
# promised.
cut_at() {
	echo "--- cut at: $1"
	start
	await "$1"
	off
	note
}

# Results said to be safe: a file that was read back, and a variable that was stored.
note() {
	show >/dev/null
	sed -n 's/^\\results\\\(.*\) read back, the same.*/\1/p' "$vm/console" >>"$vm/promised"
	sed -n 's/^stored: the next start writes .results.\(.*ndjson\).*/\1/p' "$vm/console" \
		>>"$vm/promised"
}

@test "the power cut at ten points: no finished result is lost, none is doubled" {
	machine
	cut_at 'BdsDxe: starting'
	cut_at 'results go to'
	cut_at 'room firmware,'
	cut_at 'read back, the same'
	cut_at 'room bare,'
	cut_at 'stored: the next start'
	cut_at 'BdsDxe: starting'           # the start that would have harvested
	cut_at "The last start's room bare" # and the one that did
	cut_at 'leaving the firmware'
	cut_at 'packed to'
	boot
	note
	results
	sort -u "$vm/promised" >"$vm/names"
	echo "promised:"
	cat "$vm/names"
	[ "$(grep -c firmware "$vm/names")" -ge 4 ]
	[ "$(grep -c bare "$vm/names")" -ge 2 ]
	while read -r name; do
		python3 tests/cli/check_result.py "$vm/results/$name" complete
	done <"$vm/names"
	# No room bare twice: each has its own check sum.
	tail -qn 1 "$vm"/results/*-bare.ndjson | jq -r .crc_all | sort | uniq -d >"$vm/doubled"
	[ ! -s "$vm/doubled" ]
}
