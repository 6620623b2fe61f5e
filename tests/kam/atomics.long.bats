#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Locked operations cost what the machine states: alone in both layers, of several cores in layer a.

load rows_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
}

probe=atomics
asked=(--profile full --every-row --probes clock:core-clock,atomics)
alone='add lock-add cas cas-fails lock-xadd xchg store-mfence split'
together='shared shared-cas false-sharing own-lines false-sharing-add own-lines-add'

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
