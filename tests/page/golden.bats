#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The report's pictures of fixed results are those that are kept: golden.py says which is not.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

@test "each picture of fixed results is the one that is kept (make golden keeps new ones)" {
	tests/page/golden.py
}
