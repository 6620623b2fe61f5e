#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The fastest form of a stream, on machines of this folder, whose fastest form differs.

load ../../tests/kam/stated_helper

# The form of the roof must match; the roof must be above the fixed form's value.
roof() { # machine, operation, level, form as a pattern
	build/kam --every-row --profile default --cpu "$1.ini" --image build/BOOTX64.EFI \
		--probes "bandwidth:$2,bandwidth:$2-form,bandwidth:nt-$2-form" --out "$result"
	jq -e --arg roof "$2_roof_$3" --arg fixed "$2_bytes_per_cycle_$3" --arg form "$4" -s '
		map(select(.kind == "summary")) | map({ (.name): . }) | add
		| if (.[$roof].form | test($form)) and .[$roof].value >= .[$fixed].value then true
		else "expected the form \($form), came:", .[$roof], .[$fixed] | halt_error(1) end' "$result"
}

@test "a core that follows short steps only: short turns" {
	roof probes/bandwidth/short-turns read l2 '^8 a turn'
}

@test "a core with slow non-temporal stores: they are not the fastest" {
	roof probes/bandwidth/slow-non-temporal copy memory '^[0-9a-z, ]*a turn(?!.*non-temporal)'
}

@test "a core without that: they are" {
	cp probes/bandwidth/slow-non-temporal.ini "$BATS_TEST_TMPDIR/fast.ini"
	sed -i '/^nt_gap/d' "$BATS_TEST_TMPDIR/fast.ini"
	roof "$BATS_TEST_TMPDIR/fast" copy memory 'non-temporal'
}

@test "a core that follows two streams: two streams" {
	roof probes/bandwidth/two-streams write memory '^8 a turn, 2 streams'
}
