#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How many pages of code the first TLB holds, and what a miss costs, in layer a; what walks cost by the
# tables that they read: walks.long.bats.

load walks_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
}

@test "pages of code on two machines, of which one is of AMD's kind; walks need ring 0" {
	for machine in three-caches one-cache; do
		measured tests/kam/walks/$machine.ini
		right ''
		[ "$(jq -r 'select(.kind == "skip").reason' "$result" | sort -u)" = 'needs ring 0' ]
	done
	edits tests/kam/walks/one-cache.ini 2 walks:code-pages:pages={54,91,152}
}
