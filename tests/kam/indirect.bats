#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Targets of an indirect jump in a fixed order, and random ones, cost what the machine states; edits are
# noticed. All rows: indirect.long.bats.

load indirect_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
}

@test "few entries for a long past: how many targets, what a miss costs; 1.3 times as much is noticed" {
	asked=(--probes clock:core-clock,indirect:order,indirect:random --profile smoke)
	rows='order random'
	values='indirect_targets indirect_miss_cycles'
	measured tests/kam/indirect/few-entries.ini
	right ''
	tests/kam/row_edits.py tests/kam/indirect/few-entries.ini "$result" "$BATS_TEST_TMPDIR/edits" \
		indirect:order:targets=64 indirect:random
}
