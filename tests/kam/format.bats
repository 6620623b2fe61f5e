#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A machine's file that states what cannot be is refused: what, where, and what would be right. Else
# what is proved would be another machine.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	ini=$BATS_TEST_TMPDIR/machine.ini
}

# refused WHY LINE...
refused() {
	local why=$1
	shift
	printf '%s\n' "$@" >"$ini"
	run build/kam --check "$ini" /dev/null
	[[ $status = 3 && $output == *"$why"* ]] || { echo "$*: expected '$why', got $status: $output"; return 1; }
}

@test "what cannot be: sizes, ways, rates, a key twice or unknown" {
	refused 'refresh = 900: must be less than refresh_every, 800' '[memory]' 'refresh_every = 800' 'refresh = 900'
	refused 'skew.ticks = 0 7: must be 1 numbers, the first 0' '[skew]' 'ticks = 0 7'
	refused 'skew.ppb = 3: must be 1 numbers, the first 0' '[skew]' 'ppb = 3'
	refused 'skew.adjust = 3 x: must be 1 numbers' '[skew]' 'adjust = 3 x'
	refused 'forwarding.failed = 127: there must be no core.partial' '[core]' 'partial = 12' '[forwarding]' 'failed = 127'
	refused 'forwarding.renamed = 4: renames must be yes' '[forwarding]' 'renamed = 4'
	refused 'forwarding.page = 9: must be at least line, 10' '[forwarding]' 'line = 10' 'page = 9'
	refused 'split.load_page = 1: must be at least load_line, 2' '[split]' 'load_line = 2' 'load_page = 1'
	refused 'split.store_page = 1: must be at least store_line, 2' '[split]' 'store_line = 2' 'store_page = 1'
	refused 'limits.shifts = 5: must be at most alus, 4' '[limits]' 'shifts = 5'
	refused 'limits.leas = 5: must be at most alus, 4' '[limits]' 'leas = 5'
	refused 'limits.branches = 5: must be at most alus, 4' '[limits]' 'branches = 5'
	refused 'limits.wide_loads = 3: must be at most loads, 2' '[limits]' 'wide_loads = 3'
	refused 'limits.wide_stores = 2: must be at most stores, 1' '[limits]' 'wide_stores = 2'
	refused 'limits.accesses = 4: must be at most loads and stores, 3' '[limits]' 'accesses = 4'
	refused 'limits.commits' '[limits]' 'commits = 0'
	refused 'indirect.beyond = indirect: there must be indirect.entries' '[indirect]' 'beyond = indirect'
	refused 'refresh = 9: must be less than refresh_every, 0' '[memory]' 'refresh = 9'
	refused 'row_bytes = 3000: must be a power of two' '[memory]' 'row_bytes = 3000'
	refused 'row_hit = 300: must be less than latency' '[memory]' 'row_bytes = 4096' 'row_hit = 300'
	refused 'hz_start = 4000000000: must be at most core.hz, 3000000000' '[clock]' 'hz_start = 4000000000'
	refused 'stlb of 1536 entries cannot have 7 ways: these must divide them' '[tlb]' 'stlb_ways = 7'
	refused 'stlb_2m of 100 entries cannot have 12 ways' '[tlb]' 'stlb_2m = 100'
	refused 'dtlb_4k of 64 entries cannot have 5 ways' '[tlb]' 'dtlb_ways = 5'
	refused 'nested.tables = yes: walks.read must not be 0' '[nested]' 'tables = yes'
	refused 'there must be no tlb.walk_loads and tlb.upper' '[nested]' 'tables = yes' '[walks]' 'read = 2' '[tlb]' 'upper = 9'
	refused 'L1 of 32000 bytes cannot have 8 ways of 64 byte lines: must be a multiple of 512' '[l1]' 'bytes = 32000'
	refused 'line.bytes = 96: must be a power of two' '[line]' 'bytes = 96'
	refused 'core.sibling: there is none with core.threads = 1' '[core]' 'sibling = halted'
	refused 'two threads cannot divide a window of 225' '[core]' 'threads = 2' 'window = 225'
	refused '9 buffers of L1' '[core]' 'threads = 2' '[l1]' 'buffers = 9'
	refused 'l2.ways: a second time' '[l2]' 'ways = 8' 'ways = 16'
	refused 'l2.way' '[l2]' 'way = 8'
	refused 'expect.l2_bytes: a second time' '[expect]' 'l2_bytes = not resolved: a' 'l2_bytes = not resolved: b'
	refused 'l4.bytes = 4194304: there must be an L3' '[l3]' 'bytes = 0' '[l4]' 'bytes = 4m'
	refused 'l3.victim = yes: must be the last level, L4' '[l3]' 'victim = yes' '[l4]' 'bytes = 4m'
	refused 'l3.slices = 3: must divide its sets, 2048' '[l3]' 'hash = slices' 'slices = 3'
	refused 'l3.hash = xor: its sets, 1536, must be a power of two' '[l3]' 'bytes = 1536k' 'hash = xor'
	refused 'neighbour.l1_ways = 8: must be less than all of them, 8' '[neighbour]' 'period_us = 9' 'l1_ways = 8'
	refused 'system.stolen_ppm = 9: there must be no noise.spike_every' '[system]' 'stolen_ppm = 9' '[noise]' 'spike_every = 9'
}

# based KEY = VALUE...: the machine of base.ini, whose L2 has 96 KiB of 6 ways, with these keys.
based() {
	printf '%s\n' '[l2]' 'bytes = 96k' 'ways = 6' '[expect]' 'l2_bytes = not resolved: base' \
		>"$BATS_TEST_TMPDIR/base.ini"
	refused "$1" '[core]' 'base = base.ini' "${@:2}"
}

@test "what the base of a machine states holds, but for what the machine states; only one base, and first" {
	based '/dev/null: the run is not complete' '[l2]' 'bytes = 48k'
	based 'L2 of 65536 bytes cannot have 6 ways' '[l2]' 'bytes = 64k'
	based '/dev/null: the run is not complete' '[expect]' 'l2_bytes = not resolved: here'
	based 'l2.ways: a second time' '[l2]' 'ways = 3' 'ways = 6'
	based 'expect.l2_bytes: a second time' '[expect]' 'l2_bytes = not resolved: a' 'l2_bytes = not resolved: b'
	refused "core.base = $BATS_TEST_TMPDIR/none.ini: cannot be read" '[core]' 'base = none.ini'
	refused 'core.base = base.ini: must be the first key' '[core]' 'width = 3' 'base = base.ini'
	cp "$BATS_TEST_TMPDIR/base.ini" "$BATS_TEST_TMPDIR/root.ini"
	printf '%s\n' '[core]' 'base = root.ini' >"$BATS_TEST_TMPDIR/base.ini"
	refused 'core.base = root.ini: must be the first key, of a machine that is no base' '[core]' 'base = base.ini'
	[ "$(tests/kam/machine_with.py tests/kam/cpus/zen4-stacked-l3.ini core.width=7 |
		grep -cE '^(width = 7|window = 320|latency = 54|base = .*)$')" = 3 ]
}

@test "every machine that the tests have is one that can be" {
	for file in tests/kam/*/*.ini probes/*/*.ini; do
		run build/kam --check "$file" /dev/null
		[[ $output == */dev/null* ]] || { echo "$file: $status: $output"; return 1; }
	done
}
