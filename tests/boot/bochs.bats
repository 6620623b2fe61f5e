#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A second emulator: another implementation of the processor than QEMU's, whose unknown MSRs fault and whose
# time is exact: one tick an instruction. More: bochs.long.bats.

load helper
load bochs_helper

@test "Bochs, MSRs that fault: both rooms complete, and it is found out although nobody names it" {
	machine 'probes = clock,latency' 'largest = 64k'
	bochs_to_the_end
	for room in firmware bare; do
		[ "$(of_serial $room emulated)" = false ]
		[ "$(of_serial $room hypervisor)" = '""' ]
		[ "$(of_serial $room may_be)" = '"emulated"' ]
		# CPUID claims some GHz; a load takes as long as an add.
		of_serial $room may_be_why | grep -q 'CPUID 15h claims .* a load from the nearest cache takes 1\.'
		# Latency is the same at all sizes.
		[ "$(jq -r 'select(.name == "l1d_bytes").reason' "$vm/serial-$room.ndjson")" = 'the curve is flat' ]
		# Where one tick is one instruction, samples are all the same.
		[ "$(jq -c 'select(.kind == "row" and .mad != 0).variant' "$vm/serial-$room.ndjson")" = '' ]
	done
	said 'MAY BE EMULATED'
}
