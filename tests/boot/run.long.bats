#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make run: what it leaves behind. Long, because a result that must be thinned takes its time.

load helper

@test "make run: of a thinned result of room bare the samples come from the serial line" {
	export RUN_DIR=$BATS_TEST_TMPDIR/run
	V=1 PROFILE=default PROBES=latency,mlp,bandwidth ACCEL=tcg tools/run >"$BATS_TEST_TMPDIR/log" 2>&1 ||
		{ tail -n 20 "$BATS_TEST_TMPDIR/log"; return 1; }
	tail -n 1 "$RUN_DIR"/results/*-bare.ndjson | grep '"thinned":{'
	grep 'its samples are taken from the serial line, and thinning that gives the same bytes' "$BATS_TEST_TMPDIR/log"
	for room in firmware bare; do
		grep "\"room\":\"$room\"" "$RUN_DIR/results.ndjson" >"$BATS_TEST_TMPDIR/$room"
		python3 tests/cli/check_result.py "$BATS_TEST_TMPDIR/$room" complete
	done
	jq -es 'map(select(.kind == "row")) | length > 50 and all(.values)' "$BATS_TEST_TMPDIR/bare"
	build/anechoic show "$RUN_DIR/results.ndjson" >/dev/null
}
