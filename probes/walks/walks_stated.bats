#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `walks` finds on machines that state it: each row, each value, and that others are noticed.

load walks_stated

@test "pages of code on two machines, of which one is of AMD's kind; walks need ring 0" {
	for name in three-caches one-cache; do
		measured probes/walks/$name.ini
		right
		[ "$(skips)" = 'needs ring 0' ]
	done
	row_edits code-pages:pages={54,91,152}
	value_edits 2 1.03
}
