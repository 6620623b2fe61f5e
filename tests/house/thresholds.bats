#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The thresholds of infer/, those of the engine, of tlb, backend, frontend and compare that decide what is believed,
# and docs/method.md say the same.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	files=(engine/infer/*.c engine/infer/points.h engine/infer/ramp.h engine/measure.c
		engine/find.c engine/curve.c engine/confidence.[ch] probes/backend/backend.c probes/frontend/frontend.c probes/walks/walks.c probes/tlb/tlb.c
		probes/tlb/tlb_second_level.[ch] lib/stats.h lib/noise_assumed.h
		linux/report/compare/statistics.h linux/report/compare/effects.h
		linux/report/compare/compare.h linux/report/compare/gate.h linux/report/fleet/fleet.h)
}

# defined FILE...: "NAME VALUE" of every constant that is a number; the card has no thresholds.
defined() {
	printf '%s\n' "$@" | grep -v '^engine/infer/card' |
		xargs sed -nE 's/^#define ([A-Z_]+) +([0-9.]+)( .*)?$/\1 \2/p' | sort
}

# explained FILE: the same of the document's tables, where a reason stands beside them.
explained() {
	sed -nE 's/^\| `([A-Z_]+)` \| ([0-9.]+) \| ....* \|$/\1 \2/p' "$1" | sort
}

@test "docs/method.md gives every threshold of infer/, with its value and a reason" {
	[ "$(defined "${files[@]}" | wc -l)" -ge 40 ]
	diff <(defined "${files[@]}") <(explained docs/method.md)
}

@test "every section that engine/infer/ refers to is in docs/method.md" {
	grep -ohE 'docs/method\.md, "[^"]+"' engine/infer/*.[ch] | cut -d'"' -f2 | sort -u >"$BATS_TEST_TMPDIR/named"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/named")" -ge 4 ]
	! sed -nE 's/^##+ `?([^`:]+).*/\1/p' docs/method.md | sort | comm -13 - "$BATS_TEST_TMPDIR/named" | grep .
}

@test "no number with a fraction stands in the code of engine/infer/ without a name" {
	for file in engine/infer/*.c; do
		[[ $file == engine/infer/card* ]] || gcc -fpreprocessed -dD -E -P "$file"
	done >"$BATS_TEST_TMPDIR/code" # without comments
	! grep -v '^#define' "$BATS_TEST_TMPDIR/code" | grep -E '[0-9]\.[0-9]'
}
