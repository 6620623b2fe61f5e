#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The thresholds of infer/, those of the engine, of tlb, backend, frontend and compare that decide what is believed,
# and the documents say the same.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	files=(engine/infer/*.c engine/infer/points.h engine/infer/ramp.h engine/measure.c
		engine/find.c engine/curve.c engine/confidence.[ch] probes/backend/backend.c probes/frontend/frontend.c probes/walks/walks.c probes/tlb/tlb.c
		probes/tlb/tlb_second_level.[ch] lib/stats.h lib/noise_assumed.h
		linux/report/compare/statistics.h linux/report/compare/effects.h
		linux/report/compare/compare.h linux/report/compare/gate.h linux/report/fleet/fleet.h)
}

# defined FILE...: "NAME VALUE" of every constant that is a number; the list of all values has no thresholds.
defined() {
	printf '%s\n' "$@" | grep -v '^engine/infer/card_all' |
		xargs sed -nE 's/^#define ([A-Z_]+) +([0-9.]+)( .*)?$/\1 \2/p' | sort
}

# explained FILE...: the same of the documents' tables, where a reason stands beside them.
explained() {
	cat "$@" | sed -nE 's/^\| `([A-Z_]+)` \| ([0-9.]+) \| ....* \|$/\1 \2/p' | sort
}

@test "the documents give every threshold once, with its value and a reason" {
	[ "$(defined "${files[@]}" | wc -l)" -ge 150 ]
	diff <(defined "${files[@]}") <(explained docs/*.md probes/*/README.md)
}

@test "the README of a probe gives the thresholds of its code" {
	for name in $(printf '%s\n' "${files[@]}" | sed -n 's/^probes\/\([a-z]*\)\/.*/\1/p' | sort -u); do
		mapfile -t code < <(printf '%s\n' "${files[@]}" | grep "^probes/$name/")
		[ "$(defined "${code[@]}" | wc -l)" -ge 3 ]
		! comm -23 <(defined "${code[@]}") <(explained "probes/$name/README.md") | grep . || bad=1
	done
	[ -z "${bad:-}" ]
}

@test "no number with a fraction stands in the code of engine/infer/ without a name" {
	for file in engine/infer/*.c; do
		[[ $file == engine/infer/card* ]] || gcc -fpreprocessed -dD -E -P "$file"
	done >"$BATS_TEST_TMPDIR/code" # without comments
	! grep -v '^#define' "$BATS_TEST_TMPDIR/code" | grep -E '[0-9]\.[0-9]'
}
