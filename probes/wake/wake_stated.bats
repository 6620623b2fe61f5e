#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `wake` finds on machines that state it: each row, each value, and that others are noticed.

load wake_stated

@test "two cores with C1, C1E and a deep state: each row, each value" {
	values+=' wake_deepest_ns'
	measured probes/wake/cores.ini --cpus 2
	right
	[ "$(all hint)" = '0 1 32' ]
	[ "$(all dwell_us)" = '100 2000' ]
	[ "$(jq -r 'select(.kind == "end") | "\(.status) \(.interrupts) \(.nmis) \(.skips)"' "$result")" = \
		'complete 0 0 0' ] # all that came were asked for
}
