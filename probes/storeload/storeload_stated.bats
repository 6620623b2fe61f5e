#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `storeload` finds on machines that state it: each row, each value, and that others are noticed.

load storeload_stated

@test "one that waits, in all rooms, and one that renames; other costs are noticed" {
	measured probes/storeload/waits.ini
	right
	row_edits $rows
	in_both_rooms probes/storeload/waits.ini
	measured probes/storeload/renames.ini
	right
	[ "$(jq -s '[.[] | select(.kind == "row" and .variant == "sizes")] | length' "$result")" = 17 ]
}
