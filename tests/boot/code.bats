#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The user's own code, from the stick: what it takes, and that it is ended where it does not return.
# Exceptions, ring 0 and what cannot be ended: code.long.bats.

load helper
load code_helper

@test "a multiplication: its bytes stand in the rows of both rooms" {
	with_code '48 0f af c0' 'code_unroll = 100' 'code_loop = 3'
	measured
	for room in firmware bare; do
		some $room '.probe == "code" and .params.unroll == 100 and .params.loop == 3 and
			.more.code == "48 0f af c0" and (.more | has("code_init") | not)'
	done
}
