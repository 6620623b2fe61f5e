#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A core of two threads. While the other one spins, the measured one has half of the window and of the miss
# buffers; while it is halted or not started, all. What the image makes of it decides what it measures.

load stated_helper

# waiting HOW: to $ini, the machine whose sibling waits so; and whether it has this result.
waiting() {
	edited tests/kam/mutations/quick.ini core.threads=2 "core.sibling=$1"
}

judged_as() {
	waiting "$1"
	build/kam --check "$ini" "$result"
}

@test "window and misses: whole with the sibling halted or not started, half while it spins" {
	local how
	asked=(--probes window,mlp:chains)
	for how in none:224:10 halted:224:10 pause:112:5; do
		waiting "${how%%:*}"
		measured "$ini"
		[ "$(value window_instructions):$(jq -n "$(value parallel_misses) | round")" = "${how#*:}" ]
	done
	run judged_as none # that which spun
	[ "$status" = 1 ]
}

# image OPTIONS: in layer b the sibling is a CPU that executes the image's code, in room bare.
image() {
	waiting none
	build/kam --layer b --cpus 2 --cpu "$ini" --image build/BOOTX64.EFI \
		--out "$result" --probes window --load "$1"
	jq -r 'select(.kind == "run").siblings' "$result"
}

@test "the sibling of the core that the image measures halts, or is stopped, and all of it is measured" {
	[ "$(image '')" = halt ]
	judged_as none
	[ "$(image siblings=init)" = 'not started' ]
	judged_as none
}

@test "with idle = pause the sibling spins: the image says so, and measures half a core" {
	[ "$(image idle=pause)" = pause ]
	judged_as pause
	run build/anechoic check "$result"
	[[ "$output" == *'a thread beside the measuring one spun: window and misses'* ]]
}
