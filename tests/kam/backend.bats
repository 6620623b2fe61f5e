#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the window holds: registers, loads, stores, branches, waiting instructions, as the machine
# states them; where something else ends first there is no number but that there are so many.

load backend_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

@test "the window, or another structure, ends first: so many or more, in layer a" {
	measured tests/kam/backend/small-window.ini
	right ''
	[ "$(found)" = "203+ the window ends first
149
203+ the window ends first
43
201+ the window ends first
67
147+ the vector registers end first
61
43+ the queue of stores ends first" ]
}
