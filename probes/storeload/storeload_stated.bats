#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `storeload` finds on machines that state it: each row, each value, and that others are noticed.

load storeload_stated

@test "one that waits, three kinds of rows also in layer b, and one that renames; other costs are noticed" {
	measured probes/storeload/waits.ini
	right
	row_edits $rows
	measured probes/storeload/renames.ini
	right
	[ "$(jq -s '[.[] | select(.kind == "row" and .variant == "sizes")] | length' "$result")" = 17 ]
	rows='forward load-page store-line' values=store_forward_cycles
	measured probes/storeload/waits.ini --layer b --probes "$(printf 'storeload:%s,' forward load-page)storeload:store-line"
	right
}
