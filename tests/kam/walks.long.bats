#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What walks cost by the tables that they read, as the machine states it, in both rooms of layer b.

load walks_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

@test "three paging-structure caches, pages of all sizes; edits are noticed" {
	measured tests/kam/walks/three-caches.ini --layer b --rooms both
	walked 4k 2m 1g
	right @firmware
	right @bare
	[ "$(jq -r 'select(.kind == "skip").reason' "$result")" = '' ]
	measured tests/kam/walks/three-caches.ini --layer b
	edits tests/kam/walks/three-caches.ini 11 walks:cr3:reads={1,2,3} walks:invlpg:flushed={0,1,2,3,4} \
		walks:code-pages:pages={64,861}
}

# What a cache does not hold is read: as many as if the pages were farther apart.
@test "one of them alone, of AMD's kind; an arena that is too small for some" {
	measured tests/kam/walks/one-cache.ini --layer b --rooms both
	walked 4k 2m
	right @firmware
	right @bare
	jq -r 'select(.kind == "skip" and .variant == "cr3") | "\(.params.levels) \(.params.reads) \(.reason)"' \
		"$result" | sort -u >"$BATS_TEST_TMPDIR/skipped"
	diff "$BATS_TEST_TMPDIR/skipped" - <<-END
		3 2 the arena has no two pages so far apart
		4 3 the arena has no two pages so far apart
	END
}

@test "a machine without the tables: walks as its [tlb] says, and no end of its pages of code" {
	tests/kam/machine_with.py tests/kam/mutations/quick.ini tlb.walk=41 tlb.upper=2 \
		tlb.walk_upper=23 memory.arena=76m 'expect.every_value=by the rules: all is default' |
		sed '/^\[expect\]/,${/^\[expect\]/b; /^every_value/b; d}' >"$ini"
	measured "$ini" --layer b
	values=
	walked 4k 2m
	right ''
	[ "$(jq -c 'select(.name == "itlb_4k_entries") | [.value, .reason]' "$result")" = \
		'[null,"the curve is flat"]' ]
}
