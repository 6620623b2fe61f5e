#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A core of two threads. While the other one spins, the measured one has half of the window and of the miss
# buffers; while it is halted or not started, all. What the image makes of it decides what it measures.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	for how in none halted pause; do
		sed "s/^name = quick$/&\nthreads = 2\nsibling = $how/" tests/kam/mutations/quick.ini \
			>"$BATS_TEST_TMPDIR/$how.ini"
	done
	result=$BATS_TEST_TMPDIR/result
}

# judged HOW: the machine whose sibling waits so has these results.
judged() {
	build/kam --check "$BATS_TEST_TMPDIR/$1.ini" "$result"
}

# summary NAME: its value, rounded.
summary() {
	jq -e "select(.kind == \"summary\" and .name == \"$1\").value | round" "$result"
}

@test "window and misses: whole with the sibling halted or not started, half while it spins" {
	local how expected
	for how in none:224:10 halted:224:10 pause:112:5; do
		expected=${how#*:} how=${how%%:*}
		build/kam --cpu "$BATS_TEST_TMPDIR/$how.ini" --image build/BOOTX64.EFI --out "$result" \
			--probes window,mlp:chains
		judged "$how"
		[ "$(summary window_instructions):$(summary parallel_misses)" = "$expected" ]
	done
	run judged none # that which spun
	[ "$status" = 1 ]
}

# image OPTIONS: in layer b the sibling is a CPU that executes the image's code, in room bare.
image() {
	build/kam --layer b --cpus 2 --cpu "$BATS_TEST_TMPDIR/none.ini" --image build/BOOTX64.EFI \
		--out "$result" --probes window --load "$1"
	jq -r 'select(.kind == "run").siblings' "$result"
}

@test "the image does not start the sibling of the core that it measures, and measures all of it" {
	[ "$(image '')" = 'not started' ]
	judged none
}

@test "with idle = pause the sibling spins: the image says so, and measures half a core" {
	[ "$(image idle=pause)" = pause ]
	judged pause
	run build/anechoic check "$result"
	[[ "$output" == *'a thread beside the measuring one spun: window and misses'* ]]
}
