#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Another CPU wakes as the machine states, from each state and by each way; so does a timer. More:
# wake.long.bats.

load wake_helper

@test "two cores with C1, C1E and a deep state: each row, each value" {
	measured tests/kam/wake/cores.ini --cpus 2
	values+=' wake_deepest_ns'
	right ''
	[ "$(all hint)" = '0 1 32' ]
	[ "$(all dwell_us)" = '100 2000' ]
	[ "$(jq -r 'select(.kind == "end") | "\(.status) \(.interrupts) \(.nmis) \(.skips)"' "$result")" = \
		'complete 0 0 0' ] # all that came were asked for
}
