#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Loads of what was just stored, 4K aliases and split accesses cost what the machine states, in both
# layers; what costs nothing more is not resolved.

load rows_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

# As many rows of the probe as there are without AVX, each of them judged.
rows='forward other-register same-register larger larger-vector overlap two-stores forward-line
	forward-page alias apart load load-line load-page store store-line store-page sizes'
values='store_forward_cycles store_forward_same_cycles store_forward_fail_cycles alias_4k_cycles
	split_line_cycles split_page_cycles'

probe=storeload
asked=(--profile full --every-row --probes clock:core-clock,storeload)

# unresolved MACHINE.ini: its values of the probe that are not resolved, in their order.
unresolved() {
	tests/kam/machine_with.py "$1" 'expect.every_value=by the rules: all is default' |
		sed '/^\[expect\]/,${/^\[expect\]/b; /^every_value/b; d}' >"$ini"
	measured "$ini"
	jq -r 'select(.kind == "summary" and .probe == "storeload" and .value == null) | .name' "$result" |
		tr '\n' ' '
}

@test "one that waits and one that renames: each row, each value" {
	measured tests/kam/forwarding/waits.ini
	right ''
	measured tests/kam/forwarding/renames.ini
	right ''
	[ "$(jq -s '[.[] | select(.kind == "row" and .variant == "sizes")] | length' "$result")" = 17 ]
}

@test "likewise in both rooms of layer b" {
	measured tests/kam/forwarding/waits.ini --layer b --rooms both
	right @firmware
	right @bare
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

@test "1.3 times as much, or as little, is noticed" {
	measured tests/kam/forwarding/waits.ini
	tests/kam/row_edits.py tests/kam/forwarding/waits.ini "$result" "$BATS_TEST_TMPDIR/edits" \
		$(printf 'storeload:%s ' $rows)
}
