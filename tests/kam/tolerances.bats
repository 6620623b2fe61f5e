#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The judge's tolerances for several probes stand in tests/kam/judge/tolerances.inc, each with its
# reason, and docs/known-answer.md has the same table. A probe's own stand in its truth, where the
# compiler refuses one that no rule uses.

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

@test "docs/known-answer.md gives every tolerance of the table, with its number and its reason" {
	[ "$(of_document | wc -l)" -ge 20 ]
	[ "$(grep -c '^TOLERANCE(' $table)" = "$(of_code | wc -l)" ]
	diff <(of_code) <(of_document)
}

@test "every tolerance of the table is asked for by some rule" {
	of_code | cut -d' ' -f1 | while read -r name; do
		grep -qwE "${name}(_TEXT)?" tests/kam/judge/*.c probes/*/*_truth.c ||
			{ echo "$name: used nowhere"; return 1; }
	done
}

@test "no rule has a number with a fraction that has no name" {
	for file in probes/*/*_truth.c tests/kam/judge/{c,expected,floors,stream_rows}*.c; do
		gcc -fpreprocessed -dD -E -P "$file" | sed '/^TOLERANCE(/,/)$/d; /^#define/d' | sed "s|^|$file: |"
	done >"$BATS_TEST_TMPDIR/code" # without comments
	[ "$(wc -l <"$BATS_TEST_TMPDIR/code")" -ge 3000 ]
	! grep -vE 'static const|\.ratio =' "$BATS_TEST_TMPDIR/code" | grep -E '[0-9]\.[0-9]'
}
