#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bochs: each model of a processor on which OVMF 2022.11 starts; AVX-512, which QEMU does not have; a slow
# clock. On the others OVMF ends before the image begins (ryzen: it writes an MSR that Bochs does not know).

load helper
load bochs_helper

# Those of 64 bits, but ryzen.
bochs_models='p4_prescott_celeron_336 athlon64_clawhammer athlon64_venice turion64_tyler phenom_8650_toliman
	core2_penryn_t9600 corei5_lynnfield_750 corei5_arrandale_m520 corei7_sandy_bridge_2600k zambezi trinity_apu
	corei7_ivy_bridge_3770k corei7_haswell_4770 broadwell_ult corei7_skylake_x corei3_cnl corei7_icelake_u tigerlake'

@test "each model: both rooms complete" {
	local model
	for model in $bochs_models; do
		echo "=== $model"
		machine 'probes = clock,latency' 'largest = 64k'
		MODEL=$model bochs_to_the_end
		[ "$(of_serial bare may_be)" = '"emulated"' ]
		rm -rf "$vm"
	done
}

@test "a model without leaves of caches: the sizes are assumed, and nothing is claimed" {
	machine 'probes = clock,latency' 'largest = 64k'
	MODEL=bx_generic CPUID='level=6, vendor_string="GenuineIntel", brand_string="Nobody(R)"' bochs_to_the_end
	[ "$(of_serial bare caches_claimed)" = '[]' ]
}

@test "AVX-512 in both rooms: rows of 512 bits, each proved" {
	local room
	machine 'profile = default' 'probes = bandwidth' 'largest = 64k'
	bochs_to_the_end
	for room in firmware bare; do
		[ "$(jq -c 'select(.kind == "row" and .params.width_bits == 512).variant' "$vm/serial-$room.ndjson" |
			sort -u | wc -l)" -ge 3 ]
		refute jq -e 'select(.kind == "skip" and (.reason | test("proof")))' "$vm/serial-$room.ndjson"
	done
}

# A tick is 100 ns: two more or less are no gap.
@test "a clock of 10 MHz: no time is stolen where nothing is" {
	machine 'probes = noise' 'rooms = firmware' 'finish = halt'
	IPS=10000000 start_bochs
	halted
	serial_result firmware
	[ "$(jq 'select(.name == "noise_stolen_ppm").value' "$vm/serial-firmware.ndjson")" = 0 ]
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

# QEMU's TCG has no TSC deadline; of this emulator only the time is exact.
@test "Bochs, the timer of the APIC by the TSC's deadline: while the CPU spins, and halted" {
	machine 'probes = wake:timer-pause,wake:timer-hlt' 'rooms = bare'
	start_bochs
	off_at 'resetting by'
	serial_result bare
	refute said 'EXCEPTION'
	[ "$(jq -c 'select(.kind == "row") | [.variant, .samples >= 15, .median >= 0 and .median < 10000]' \
		"$vm/serial-bare.ndjson" | xargs)" = '[timer-pause,true,true] [timer-hlt,true,true]' ]
	[ "$(jq 'select(.kind == "end").interrupts' "$vm/serial-bare.ndjson")" = 0 ]
}
