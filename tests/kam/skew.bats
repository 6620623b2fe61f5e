#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the counters of several cores differ by is as stated, and within the bounds; TSC_ADJUST in layer b.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
}

# measured MACHINE PROBES OPTION...: into $result, judged into $output; nothing is wrong.
measured() {
	local machine=tests/kam/skew/$1.ini probes=$2
	shift 2
	build/kam --cpu "$machine" --image build/BOOTX64.EFI --profile default --probes "$probes" \
		--out "$result" "$@"
	run build/kam --check "$machine" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
}

# right TEXT...: each is a line of what was judged, and it is ok.
right() {
	local text
	for text; do
		printf '%s\n' "$output" | grep -qE "^$text .*ok$" ||
			{ echo "expected '$text ... ok', came: $output"; return 1; }
	done
}

@test "two sockets of which one drifts, and cores that are alike: each row, each value, each bound" {
	for machine in sockets together; do
		measured $machine skew
		right 'skew:offset  .* rows' 'skew:offset bounds .* rows' 'skew:drift  .* rows' \
			'skew:drift bounds .* rows' tsc_skew_ns tsc_drift_ppm
	done
}

# By these seeds one line comes sooner, at the drift of a core, or at its offset.
@test "a line that comes sooner moves the middle of its bounds by half" {
	for seed in 3 5; do
		measured sockets skew --profile full --seed $seed
		right 'skew:offset bounds .* rows' 'skew:drift  .* rows' 'skew:drift bounds .* rows' \
			tsc_drift_ppm
	done
}

@test "TSC_ADJUST of three CPUs, and of a machine that has none" {
	measured restarted skew:adjust --layer b --cpus 3
	right 'skew:adjust .* rows' tsc_adjust_ticks
	[ "$(jq -c 'select(.variant == "adjust") | [.median, .more]' "$result")" = \
		'[1242597,{"least_ticks":-1234567,"most_ticks":8030}]' ]
	sed '/^\[skew\]/,$d' tests/kam/skew/restarted.ini >"$BATS_TEST_TMPDIR/none.ini"
	run build/kam --layer b --cpus 3 --cpu "$BATS_TEST_TMPDIR/none.ini" --image build/BOOTX64.EFI \
		--probes skew:adjust,clock:core-clock --out "$result"
	[ "$(jq -r 'select(.probe == "skew" and .kind == "skip").reason' "$result")" = \
		'CPUID says that there is no TSC_ADJUST' ]
}

@test "other offsets, drifts, bounds and values are noticed" {
	measured sockets skew
	tests/kam/row_edits.py tests/kam/skew/sockets.ini "$result" "$BATS_TEST_TMPDIR/rows" skew:offset \
		skew:drift:cpu=2 skew:drift:cpu=3
	tests/kam/skew_edits.py tests/kam/skew/sockets.ini "$result" "$BATS_TEST_TMPDIR/edits"
	measured together skew
	tests/kam/row_edits.py tests/kam/skew/together.ini "$result" "$BATS_TEST_TMPDIR/cores" \
		skew:offset:cpu=2
	tests/kam/skew_edits.py tests/kam/skew/together.ini "$result" "$BATS_TEST_TMPDIR/together"
	measured restarted skew:adjust --layer b --cpus 3
	tests/kam/row_edits.py tests/kam/skew/restarted.ini "$result" "$BATS_TEST_TMPDIR/msrs" skew:adjust
	tests/kam/skew_edits.py tests/kam/skew/restarted.ini "$result" "$BATS_TEST_TMPDIR/restarted"
}
