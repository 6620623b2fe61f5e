#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# SMIs in both rooms of layer b, on three CPUs, and results that are falsified.

load smm_helper

@test "likewise in both rooms of layer b, by the counters of both vendors, and one that is asked for" {
	local machine room
	for machine in timer chance; do
		measured tests/kam/smm/$machine.ini --layer b --rooms both --load smi_ask=0x5d
		for room in firmware bare; do
			right ${smis// /@$room }@$room {smi_asked_ns,smm:{asked,smi-length,smi-interval}}@$room
		done
	done
}

@test "three CPUs have each SMI at once; without any they have nothing in common" {
	local common='common_gaps_per_second common_gap_ns'
	tests/kam/machine_with.py tests/kam/smm/timer.ini cpus.count=3 >"$ini"
	measured "$ini"
	right $smis $common common_gap_period_ns smm:common-length smm:common-interval
	tests/kam/machine_with.py tests/kam/smm/timer.ini cpus.count=3 smi.every=0 >"$ini"
	measured "$ini"
	right smis_per_second common_gaps_per_second
	[ "$(value common_gaps_per_second)" = 0 ] && [ "$(value smis_per_second)" = 0 ]
	[ "$(value smi_length_ns)" = null ] && [ "$(value common_gap_period_ns)" = null ]
	skipped smi-length '0 came in the time watched'
	skipped common-length '0 came in the time watched'
}

@test "1.3 times as much, or as little, and made up values are noticed" {
	tests/kam/machine_with.py tests/kam/smm/timer.ini cpus.count=3 >"$ini"
	measured "$ini"
	tests/kam/row_edits.py "$ini" "$result" "$BATS_TEST_TMPDIR/edits" \
		smm:{smi,common}-{length,interval}
	python3 tests/kam/smm_edits.py "$ini" "$result" "$BATS_TEST_TMPDIR/edited"
	measured tests/kam/smm/chance.ini --layer b --load smi_ask=0x5d
	tests/kam/row_edits.py tests/kam/smm/chance.ini "$result" "$BATS_TEST_TMPDIR/edits" smm:asked
	python3 tests/kam/smm_edits.py tests/kam/smm/chance.ini "$result" "$BATS_TEST_TMPDIR/edited"
}
