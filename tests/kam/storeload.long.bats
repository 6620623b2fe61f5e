#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Loads of what was just stored on a machine that renames, in both rooms of layer b; what costs
# nothing more is not resolved.

load storeload_helper

@test "one that renames, in both rooms of layer b: each row, each value" {
	measured tests/kam/forwarding/renames.ini --layer b --rooms both
	right @firmware
	right @bare
}

@test "a machine without the table: nothing is made up" {
	local none='store_forward_fail_cycles alias_4k_cycles split_line_cycles split_page_cycles '
	for machine in mutations/quick cpus/small cpus/zen cpus/coarse cpus/noisy cpus/line128 \
		cpus/no-predictor; do
		came=$(unresolved "tests/kam/$machine.ini")
		[ "$came" = "$none" ] || { echo "$machine: expected '$none', came '$came'"; return 1; }
	done
	# Two pages of 2 MiB are more than a TLB of one entry holds.
	[ "$(unresolved tests/kam/cpus/few-entries.ini)" = \
		'store_forward_fail_cycles alias_4k_cycles split_line_cycles ' ]
	[ "$(unresolved tests/kam/cpus/skylake-sp.ini)" = 'split_line_cycles split_page_cycles ' ]
}
