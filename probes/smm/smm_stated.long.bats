#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of smm_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load smm_stated

@test "both rooms of layer b, by the counters of both vendors, and one that is asked for; edits" {
	rows+=' asked' values+=' smi_asked_ns'
	for name in timer chance; do
		in_both_rooms probes/smm/$name.ini --load smi_ask=0x5d
	done
	measured probes/smm/chance.ini --layer b --load smi_ask=0x5d
	row_edits asked
	value_edits 5 1.3
}

@test "three CPUs have each SMI at once, and edits; without any they have nothing in common" {
	edited probes/smm/timer.ini cpus.count=3
	measured "$ini"
	right
	ok common_gaps_per_second common_gap_ns common_gap_period_ns smm:common-length smm:common-interval
	row_edits {smi,common}-{length,interval}
	value_edits 8 1.3
	edited probes/smm/timer.ini cpus.count=3 smi.every=0
	measured "$ini"
	ok smis_per_second common_gaps_per_second
	[ "$(value common_gaps_per_second)" = 0 ] && [ "$(value smis_per_second)" = 0 ]
	[ "$(value smi_length_ns)" = null ] && [ "$(value common_gap_period_ns)" = null ]
	skipped smi-length '0 came in the time watched'
	skipped common-length '0 came in the time watched'
}

@test "values that the FADT names, a FADT without a port, a machine that counts no SMIs: skips that say so" {
	local value
	for value in 0xa1 0xa7 0x83 137; do
		refused 'the FADT gives this value a meaning' $value
	done
	refused 'the FADT gives this value a meaning' 0x97 smi.s4bios=0x97
	refused 'no FADT names a port for it (SMI_CMD)' 0x5d smi.port=0
	edited probes/smm/chance.ini cpuid.counters=none
	measured "$ini" --layer b --load smi_ask=0x5d
	skipped asked 'SMIs are not counted here: whether one came could not be told'
}
