#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the judge lets a number differ by stands in one table, tests/kam/judge/tolerances.inc, each
# with its reason, and docs/known-answer.md has the same table.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	table=tests/kam/judge/tolerances.inc
}

# "NAME | NUMBER UNIT | REASON" of each, in order.
of_code() {
	{ echo '#define TOLERANCE(name, number, unit, why) name | number unit | why'; cat $table; } |
		gcc -E -P -x c - | sed -E 's/([^\\])"/\1/g; s/\\"/"/g'
}

of_document() {
	sed -n '/^## Tolerances$/,/^## The tests$/p' docs/known-answer.md |
		sed -nE 's/^\| `([A-Z_0-9]+)` \| ([0-9.]+ [^|]+) \| (.+) \|$/\1 | \2 | \3/p'
}

@test "docs/known-answer.md gives every tolerance of the judge, with its number and its reason" {
	[ "$(of_document | wc -l)" -ge 90 ]
	[ "$(grep -c '^TOLERANCE(' $table)" = "$(of_code | wc -l)" ]
	diff <(of_code) <(of_document)
}

@test "every tolerance is asked for by some rule" {
	of_code | cut -d' ' -f1 | while read -r name; do
		grep -qwE "${name}(_TEXT)?" tests/kam/judge/*.c || { echo "$name: used nowhere"; return 1; }
	done
}

@test "no rule has a number with a fraction that has no name" {
	for file in tests/kam/judge/rows_*.c tests/kam/judge/c*.c tests/kam/judge/floors.c; do
		gcc -fpreprocessed -dD -E -P "$file" | grep -v '^#define' | sed "s|^|$file: |"
	done >"$BATS_TEST_TMPDIR/code" # without comments
	[ "$(wc -l <"$BATS_TEST_TMPDIR/code")" -ge 1000 ]
	! grep -E '[0-9]\.[0-9]' "$BATS_TEST_TMPDIR/code"
}
