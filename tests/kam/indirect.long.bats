#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Indirect jumps and returns beyond the return stack: all rows of `full` on both machines of
# tests/kam/indirect, in layer b, and on machines without such a table; edits are noticed.

load indirect_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

@test "few entries for a long past, and a short past: each row, each value" {
	for machine in few-entries short-past; do
		measured tests/kam/indirect/$machine.ini --profile full
		right ''
		tests/kam/row_edits.py tests/kam/indirect/$machine.ini "$result" \
			"$BATS_TEST_TMPDIR/$machine" $edited
		tests/kam/value_edits.py tests/kam/indirect/$machine.ini "$result" \
			"$BATS_TEST_TMPDIR/$machine-values" indirect 6 2 2
	done
}

# By this seed two of the nine targets before an element are alike in 22 elements already.
@test "other sequences: each row is what the predictor makes of its own" {
	measured tests/kam/indirect/short-past.ini --profile full --seed 7
	right ''
}

@test "likewise in both rooms of layer b" {
	measured tests/kam/indirect/few-entries.ini --profile default --layer b --rooms both
	right @firmware
	right @bare
}

@test "a machine without the table: a jump goes where it went last, and no sequence is known" {
	for machine in mutations/quick cpus/small cpus/zen cpus/coarse cpus/noisy cpus/line128 \
		cpus/no-predictor cpus/two-target-levels; do
		tests/kam/machine_with.py "tests/kam/$machine.ini" 'expect.every_value=by the rules: all is default' |
			sed '/^\[expect\]/,${/^\[expect\]/b; /^every_value/b; d}' >"$ini"
		measured "$ini" --profile default
		came=$(jq -r 'select(.kind == "summary" and .probe == "indirect" and .value == null) | .name' \
			"$result" | tr '\n' ' ')
		[ "$came" = 'indirect_history indirect_history_many ' ] ||
			{ echo "$machine: not resolved: $came"; return 1; }
		[ "$(jq 'select(.kind == "summary" and .name == "indirect_targets").value' "$result")" = 1 ]
	done
}
