#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `skew` finds on machines that state it: each row, each value, and that others are noticed.

load skew_stated

@test "two sockets of which one drifts, and cores that are alike; other bounds and values are noticed" {
	measured probes/skew/sockets.ini
	right
	ok 'skew:offset bounds .* rows' 'skew:drift bounds .* rows'
	row_edits offset drift:cpu=2 drift:cpu=3
	value_edits 2 1
	for_maker "- ABOVE THE LIMIT: offset of the CPUs' time stamp counters" 'CPU 1 (APIC id 1, package 0) is 824.5 ns ahead' \
		"- nothing seen, to the bound stated: rate of the CPUs' time stamp counters" # 0.4 s are too short for 3 ppm here
	measured probes/skew/together.ini
	right
	ok 'skew:offset bounds .* rows' 'skew:drift bounds .* rows'
	row_edits offset:cpu=2
	value_edits 2 1
}

@test "TSC_ADJUST of three CPUs; others are noticed" {
	asked=(--layer b --cpus 3 --profile default --probes skew:adjust)
	rows='adjust' values='tsc_adjust_ticks'
	measured probes/skew/restarted.ini
	right
	[ "$(jq -c 'select(.variant == "adjust") | [.median, .more]' "$result")" = \
		'[1242597,{"least_ticks":-1234567,"most_ticks":8030}]' ]
	for_maker '- not known: TSC_ADJUST' 'from -1234567 to 8030 ticks on 3 CPUs; which of them' # a package each: they may differ
	row_edits adjust
	value_edits 1 1
}
