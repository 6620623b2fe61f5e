#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `indirect` finds on machines that state it: each row, each value, and that others are noticed.

load indirect_stated

@test "few entries for a long past: how many targets, what a miss costs; other costs are noticed" {
	asked=(--probes clock:core-clock,indirect:order,indirect:random --profile smoke)
	rows='order random'
	values='indirect_targets indirect_miss_cycles'
	measured probes/indirect/few-entries.ini
	right
	row_edits order:targets=64 random
}
