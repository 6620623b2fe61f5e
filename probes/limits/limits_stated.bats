#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `limits` finds on machines that state it: each row, each value, and that others are noticed.

load limits_stated

@test "two machines, three kinds of rows also in layer b; other rates are noticed" {
	edited $five
	measured "$ini"
	right
	edited $seven
	measured "$ini"
	right
	row_edits $rows
	rows='nop add load-store' values='issue_width adds_per_cycle'
	measured "$ini" --layer b --probes limits:nop,limits:add,limits:load-store
	right
}

@test "a machine where no branch is predicted: what its core says" {
	measured tests/kam/cpus/no-predictor.ini
	[ "$(printf '%s\n' "$output" | grep -cE '^limits:.* rows ok$')" = 13 ] # all but branch-not-taken
}

@test "a machine with a fourth level, which no run knows that has no curve of latency" {
	measured tests/kam/cpus/lion-cove.ini
}
