#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of indirect_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load indirect_stated

# Rows whose numbers the machines state closely: not near an edge, nor of few calls.
@test "few entries for a long past, and a short past: each row, each value, and edits" {
	for name in few-entries short-past; do
		measured probes/indirect/$name.ini --profile full
		right
		row_edits order:targets={64,8192} random period:elements={16,8192} returns:depth=96 \
			returns-random:depth=192
		value_edits 6 2 2
	done
	in_both_rooms probes/indirect/few-entries.ini --profile default
}

# By this seed two of the nine targets before an element are alike in 22 elements already.
@test "other sequences: each row is what the predictor makes of its own" {
	measured probes/indirect/short-past.ini --profile full --seed 7
	right
}

@test "a machine without the table: a jump goes where it went last, and no sequence is known" {
	for name in mutations/quick cpus/small cpus/zen cpus/coarse cpus/noisy cpus/line128 \
		cpus/no-predictor cpus/two-target-levels; do
		unstated tests/kam/$name.ini
		measured "$ini" --profile default
		[ "$(unresolved)" = 'indirect_history indirect_history_many' ] ||
			{ echo "$name: not resolved: $(unresolved)"; return 1; }
		[ "$(value indirect_targets)" = 1 ]
	done
}
