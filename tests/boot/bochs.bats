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
	said '*** MAY BE EMULATED ***'
}

@test "Bochs, PCIDs and INVPCID: all rows of privileged instructions in both rooms" {
	local result
	machine 'probes = privileged'
	bochs_to_the_end
	for room in firmware bare; do
		result=$vm/serial-$room.ndjson
		jq -r 'select(.kind == "skip") | "\(.variant): \(.reason)"' "$result"
		[ "$(jq -r 'select(.kind == "skip").variant' "$result")" = '' ]
		for row in cr3-kept cr3-kept-touch invpcid-{address,context,all,local} invlpg wrmsr sti-cli \
			interrupt syscall wbinvd-{clean,half,full} \
			xsave-{sse,avx,avx512} xsave{opt,c}-{sse,avx512} xrstor-{sse,avx,avx512} \
			clflush{,opt}-dirty clwb-clean; do
			jq -r 'select(.kind == "row").variant' "$result" | grep -qx -e "$row" ||
				{ echo "room $room: no row $row"; return 1; }
		done
		[ "$(jq 'select(.kind == "end").interrupts' "$result")" = 0 ] # between STI and CLI none comes
	done
	said '5 MSRs were changed, 0 of them could not be restored'
}
