#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Code of growing size on a machine with an op cache, L1I and the erratum of jumps, in layer a.

load frontend_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
}

@test "six ops a line, of 32 bytes: eight instructions there do not fill them, six do" {
	measured tests/kam/frontend/op-lines-of-6.ini
	right ''
	[ "$(found)" = '1344 3.98 24576 16 7 1.68 ' ]
}
