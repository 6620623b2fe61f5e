#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The user's own code takes what the machine states of its instructions, in both layers and both rooms.

load code_stated

# alone SETTING...: the row in layer a with these settings, on the machine of $ini.
alone() {
	measured "$ini" "${@/#/--set=}"
	ok 'code:snippet +1 rows'
}

# chains: each instruction whose latency a machine states, unrolled, and in a loop.
chains() {
	alone 'code=48 0f af c0'
	alone 'code=48 0f af c0' code_unroll=20 code_loop=10
	alone 'code=48 0f af c0 48 0f af c0 90' code_unroll=100
	alone 'code=48 11 d8' code_unroll=100
	alone 'code=f2 0f 58 c0' code_unroll=100
	alone 'code=48 8b 36' 'code_init=48 89 36' code_unroll=100 # RSI points to itself
}

@test "two machines: multiplications, sums, loads; 1.3 times as much is noticed" {
	edited $machine_1
	chains
	edited $machine_2
	alone 'code=48 0f af c0' code_unroll=20 code_loop=10
	alone 'code=f2 0f 58 c0' code_unroll=100
	row_edits code:snippet
}

@test "the same code, the image in both rooms" {
	rooms "$machine_1"
}

@test "without code there is no row, and with too little memory a reason" {
	judged tests/kam/mutations/quick.ini
	[ "$(jq -s '[.[] | select(.probe == "code" and .kind != "summary")] | length' "$result")" = 0 ]
	judged tests/kam/mutations/quick.ini --set code=90
	[ "$(jq -r 'select(.probe == "code" and .kind == "skip") | .reason' "$result")" = \
		'needs 6 MiB, the arena has 4' ]
}
