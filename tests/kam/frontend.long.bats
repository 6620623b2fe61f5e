#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The machines of tests/kam/frontend in both layers and rooms; edits are noticed; without an op cache,
# and without the table, nothing is made up.

load frontend_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

@test "eight ops a line, of 64 bytes: long code leaves the op cache just before L1I" {
	values=$(tr -s '\n\t' ' ' <<<"$values" | sed 's/fetch_l1i_bytes_per_cycle //')
	measured tests/kam/frontend/op-lines-of-8.ini
	right ''
	[ "$(found)" = '2304 5.92 20480 - 10.99 1 ' ]
	measured tests/kam/frontend/op-lines-of-8.ini --layer b --rooms both
	right @firmware
	right @bare
}

@test "six ops a line, of 32 bytes, in both rooms" {
	measured tests/kam/frontend/op-lines-of-6.ini --layer b --rooms both
	right @firmware
	right @bare
}

# More sizes: some end just before L1I does, where other code between two calls takes a line too many.
@test "profile full: more sizes, up to 512 KiB, in both layers" {
	measured tests/kam/frontend/op-lines-of-6.ini --profile full
	right ''
	[ "$(found)" = '1344 3.97 24576 16 7 1.68 ' ]
	measured tests/kam/frontend/op-lines-of-6.ini --profile full --layer b
	right ''
	values=$(tr -s '\n\t' ' ' <<<"$values" | sed 's/fetch_l1i_bytes_per_cycle //')
	measured tests/kam/frontend/op-lines-of-8.ini --profile full
	right ''
	[ "$(found)" = '2304 5.92 20480 - 10.99 1 ' ]
	measured tests/kam/frontend/op-lines-of-8.ini --profile full --layer b
	right ''
}

@test "no op cache: L1I and the rates alone" {
	values='l1i_bytes fetch_l1i_bytes_per_cycle fetch_l2_bytes_per_cycle jcc_erratum'
	measured tests/kam/frontend/no-op-cache.ini
	right ''
	[ "$(found)" = '- - 49152 16 7 1 ' ]
}

@test "a machine without the table: nothing is made up" {
	tests/kam/machine_with.py tests/kam/mutations/quick.ini \
		'expect.every_value=by the rules: all is default' |
		sed '/^\[expect\]/,${/^\[expect\]/b; /^every_value/b; d}' >"$ini"
	measured "$ini"
	[ "$(found)" = '- - - - - 1 ' ]
}

# 1.3 times as much, or as little, is noticed; and another number, or none.
@test "edits of rows and of values are noticed" {
	local machine=tests/kam/frontend/op-lines-of-6.ini edges=() name bytes
	measured $machine
	for name in dense six short long; do
		for bytes in 1024 2048 131072 524288; do
			edges+=("frontend:$name:bytes=$bytes")
		done
	done
	tests/kam/row_edits.py $machine "$result" "$BATS_TEST_TMPDIR/edits" "${edges[@]}" \
		frontend:jump-inside frontend:jump-end
	tests/kam/value_edits.py $machine "$result" "$BATS_TEST_TMPDIR/edits" frontend 6 1.1
}
