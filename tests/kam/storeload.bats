#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Loads of what was just stored, 4K aliases and split accesses cost what the machine states, in both
# layers; storeload.long.bats has the second machine in layer b, and machines without the table.

load storeload_helper

@test "one that waits and one that renames: each row, each value" {
	measured tests/kam/forwarding/waits.ini
	right ''
	measured tests/kam/forwarding/renames.ini
	right ''
	[ "$(jq -s '[.[] | select(.kind == "row" and .variant == "sizes")] | length' "$result")" = 17 ]
}

@test "the one that waits likewise in both rooms of layer b" {
	measured tests/kam/forwarding/waits.ini --layer b --rooms both
	right @firmware
	right @bare
}

@test "1.3 times as much, or as little, is noticed" {
	measured tests/kam/forwarding/waits.ini
	tests/kam/row_edits.py tests/kam/forwarding/waits.ini "$result" "$BATS_TEST_TMPDIR/edits" \
		$(printf 'storeload:%s ' $rows)
}
