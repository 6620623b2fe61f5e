#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the window holds, all kinds on both machines of tests/kam/backend, in both rooms of layer b.

load backend_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

# edges: of each kind rows before its edge and beyond it, the first and the last ones among them.
edges() {
	local name own n
	for name in $rows; do
		own=0
		case $name in any | integer | load) own=2 ;; load-waiting) own=1 ;; esac
		for n in 0 20 480 704; do
			echo "backend:$name:entries=$((n + own))"
		done
	done
}

@test "each structure ends before the window" {
	measured tests/kam/backend/small-structures.ini --layer b --rooms both
	right @firmware
	right @bare
}

@test "the window, or another structure, ends first" {
	measured tests/kam/backend/small-window.ini --layer b --rooms both
	right @firmware
	right @bare
}

# 1.3 times as much, or as little, is noticed; and another number, or none.
@test "each structure ends before the window, in layer a; edits of it are noticed" {
	measured tests/kam/backend/small-structures.ini
	right ''
	[ "$(found | tr '\n' ' ')" = '197 171 103 61 83 47 39 29 23 ' ]
	tests/kam/row_edits.py tests/kam/backend/small-structures.ini "$result" \
		"$BATS_TEST_TMPDIR/edits" $(edges)
	tests/kam/backend_edits.py tests/kam/backend/small-structures.ini "$result" \
		"$BATS_TEST_TMPDIR/edits"
}

@test "a machine without the table has what its core says: stores, and no other number" {
	tests/kam/machine_with.py tests/kam/mutations/quick.ini \
		'expect.every_value=by the rules: all is default' |
		sed '/^\[expect\]/,${/^\[expect\]/b; /^every_value/b; d}' >"$ini"
	measured "$ini"
	[ "$(found | grep -v +)" = 56 ]
	[ "$(found | grep -c +)" = 8 ]
}
