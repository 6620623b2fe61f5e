#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic compare --fleet: who is named, who is not, and what is said of the rest. fleet.long.tap has 500.

load helper

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export FLEET=$BATS_FILE_TMPDIR/fleet
	python3 tests/cli/fleet_files.py "$FLEET"
}

said() {
	[[ $output == *"$1"* ]] || { echo "expected '$1', got: $output"; return 1; }
}

@test "machines that are alike: none is named, exit code 0" {
	exits 0 "No machine lies outside of its group (1 group judged)." "$anechoic" compare --fleet "$FLEET/alike"
	said "24 machines, 24 runs in 24 files"
}

@test "one that is off is named once, with each value, its group's median and z; exit code 2 for damage" {
	exits 1 "1 machine lies outside of its group" "$anechoic" compare --fleet "$FLEET/mixed/rack"
	said "rack/node-0005"$'\n'"  "
	[ "$(grep -c 'memory_latency_ns .* 1[01][0-9]\.. ns *+[12][0-9]\.. % ' <<<"$output")" = 1 ]
	[ "$(grep -c 'read_bytes_per_cycle_l2 .* -[12][0-9]\.. % ' <<<"$output")" = 1 ]
	exits 2 "1 machine lies outside of its group" timeout 60 "$anechoic" compare --fleet "$FLEET/mixed"
	said "too few to judge: 1 group of fewer than 8 machines, 2 in all"
	said "9 runs EMULATED: the timings mean nothing"
	said "4 files damaged or no result"
	said "changed.ndjson:2: its crc is wrong"
	said "foreign.ndjson:1: not a result line"
	said "3 entries that are no *.ndjson files: not read"
	[ "$(wc -l <<<"$output")" -le 40 ] || { echo "more than a screen"; return 1; }
	! awk 'length > 80' <<<"$output" | grep .
}

@test "runs of one machine are one value, known by identity, by the name of the run, by its folder" {
	run "$anechoic" compare --fleet --json "$FLEET"/mixed/{rack,two}
	[ "$status" = 1 ]
	jq -e '.runs == 32 and .machines == 24 + 4 and ([.outliers[].machine | split("/")[-1]] == ["node-0005"])' \
		<<<"$output" || { jq -c '[.runs, .machines, .outliers]' <<<"$output"; return 1; }
	jq -e '.groups[0].machines == 28 and .tests == 28 * 40' <<<"$output"
}

@test "a file that is named twice, or linked, is read once" {
	run "$anechoic" compare --fleet --json "$FLEET/mixed/rack" "$FLEET/mixed/rack" "$FLEET/mixed/rack/node-0003.ndjson"
	jq -e '.files == 24' <<<"$output"
}

@test "--all shows every file, group and value; --room must be there; what is no option of a fleet is refused" {
	run "$anechoic" compare --fleet --all "$FLEET/mixed"
	for name in empty.ndjson: foreign.ndjson:1: cut.ndjson: changed.ndjson:2: Xeon 'predictor_branches '; do
		said "$name"
	done
	exits 2 "no file has anything of room 'hosted'" "$anechoic" compare --fleet --room hosted "$FLEET/alike"
	exits 0 "No machine lies outside" "$anechoic" compare --fleet --room bare "$FLEET/alike"
	exits 2 "--fleet compares summary values" "$anechoic" compare --fleet --fail-above 5% "$FLEET/alike"
	exits 2 "No such file" "$anechoic" compare --fleet "$FLEET/none"
	exits 2 "No machine can be judged" "$anechoic" compare --fleet "$FLEET"/mixed/few-*.ndjson
	mkdir -p "$BATS_TEST_TMPDIR/nothing"
	exits 2 "No machine can be judged" "$anechoic" compare --fleet "$BATS_TEST_TMPDIR/nothing"
}
