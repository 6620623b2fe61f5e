#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The user's own code takes what the machine states of its instructions, in both layers and both rooms.

load hostile_helper

# Two machines whose multiplications, sums of doubles and L1 take what no other machine here states.
machine_1='tests/kam/mutations/quick.ini memory.arena=8m core.multiply=7 core.fp_add=11 l1.latency=6'
machine_2='tests/kam/cpus/small.ini core.multiply=13 core.fp_add=5'

# stated MACHINE.ini EDIT...: to $made.
stated() {
	made=$BATS_TEST_TMPDIR/ini
	tests/kam/machine_with.py "$@" >"$made"
}

# right [ROOM...]: the row is judged in each room, and nothing is wrong.
right() {
	run build/kam --check "$made" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	for room in "$@"; do
		printf '%s\n' "$output" | grep -qE "^code:snippet$room +1 rows ok$" ||
			{ echo "expected 'code:snippet$room 1 rows ok', came: $output"; return 1; }
	done
}

# alone SETTING...: layer a with these settings.
alone() {
	local settings=()
	for setting in "$@"; do
		settings+=(--set "$setting")
	done
	build/kam --cpu "$made" --image build/BOOTX64.EFI --probes code "${settings[@]}" --out "$result"
	right ''
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

@test "two machines: multiplications, sums, loads" {
	stated $machine_1
	chains
	stated $machine_2
	chains
}

@test "the same code, the image in both rooms" {
	for machine in "$machine_1" "$machine_2"; do
		stated $machine
		build/kam --layer b --rooms both --cpu "$made" --image build/BOOTX64.EFI --probes code \
			--load 'code=48,0f,af,c0 code_unroll=100' --out "$result"
		right @firmware @bare
	done
}

@test "1.3 times as much is noticed" {
	stated $machine_1
	build/kam --cpu "$made" --image build/BOOTX64.EFI --probes code --set 'code=48 0f af c0' \
		--set code_unroll=100 --out "$result"
	tests/kam/row_edits.py "$made" "$result" "$BATS_TEST_TMPDIR/edits" code:snippet
}

@test "without code there is no row, and with too little memory a reason" {
	stated tests/kam/mutations/quick.ini
	build/kam --cpu "$made" --image build/BOOTX64.EFI --probes code --out "$result"
	[ "$(jq -s '[.[] | select(.probe == "code" and .kind != "summary")] | length' "$result")" = 0 ]
	build/kam --cpu "$made" --image build/BOOTX64.EFI --probes code --set code=90 --out "$result"
	[ "$(jq -r 'select(.probe == "code" and .kind == "skip") | .reason' "$result")" = \
		'needs 6 MiB, the arena has 4' ]
}
