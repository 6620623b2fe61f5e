#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the window holds, all kinds on both machines of tests/kam/backend, in both rooms of layer b.

load backend_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	result=$BATS_TEST_TMPDIR/result.ndjson
}

@test "each structure ends before the window" {
	measured tests/kam/backend/small-structures.ini --layer b --rooms both
	right @firmware
	right @bare
}

@test "the window, or another structure, ends first" {
	measured tests/kam/backend/small-window.ini --layer b --rooms both
	right @firmware
	right @bare
}
