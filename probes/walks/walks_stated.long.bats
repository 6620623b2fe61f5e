#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of walks_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load walks_stated

@test "three paging-structure caches, pages of all sizes; edits are noticed" {
	with_walks 4k 2m 1g
	in_both_rooms probes/walks/three-caches.ini
	[ -z "$(skips)" ]
	measured probes/walks/three-caches.ini --layer b
	row_edits cr3:reads={1,2,3} invlpg:flushed={0,1,2,3,4} code-pages:pages={64,861}
	value_edits 11 1.03
}

# What a cache does not hold is read: as many as if the pages were farther apart.
@test "one of them alone, of AMD's kind; an arena that is too small for some" {
	with_walks 4k 2m
	in_both_rooms probes/walks/one-cache.ini
	jq -r 'select(.kind == "skip" and .variant == "cr3") | "\(.params.levels) \(.params.reads) \(.reason)"' \
		"$result" | sort -u >"$BATS_TEST_TMPDIR/skipped"
	diff "$BATS_TEST_TMPDIR/skipped" - <<-END
		3 2 the arena has no two pages so far apart
		4 3 the arena has no two pages so far apart
	END
}

@test "a machine without the tables: walks as its [tlb] says, and no end of its pages of code" {
	with_walks 4k 2m
	values=${values/itlb_4k_entries itlb_miss_cycles/}
	unstated tests/kam/mutations/quick.ini tlb.walk=41 tlb.upper=2 tlb.walk_upper=23 memory.arena=76m
	measured "$ini" --layer b
	right
	[ "$(jq -c 'select(.name == "itlb_4k_entries") | [.value, .reason]' "$result")" = \
		'[null,"the curve is flat"]' ]
}
