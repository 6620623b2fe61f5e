#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Sockets, memory types and USB controllers, as far as an emulator has them.

load helper

# places ROOM: package, core and thread of each CPU of the room's run line, sorted, one a line.
places() {
	head -n 1 "$vm"/results/*-"$1".ndjson |
		jq -r '.topology[] | "\(.package) \(.core) \(.thread)"' | sort
}

@test "two sockets of two cores of two threads, as the run line has them" {
	machine
	SMP=8,sockets=2,cores=2,threads=2 boot
	both_with_cpus 8
	for room in firmware bare; do
		diff <(printf '%s\n' '0 0 0' '0 0 1' '0 1 0' '0 1 1' '1 0 0' '1 0 1' '1 1 0' '1 1 1') \
			<(places $room)
	done
}

@test "memory types: all rows in both rooms, and what is said of the arena" {
	machine 'probes = memtype'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		[ "$(rows $room memtype)" = 9 ]
		some $room '.kind == "row" and .variant == "uc-latency"'
		[ "$(first_of $room memory_type.mtrr)" = '"write-back"' ]
		[ "$(first_of $room memory_type.pat)" = '"write-back"' ]
	done
	said '1 MSRs were changed, 0 of them could not be restored'
}

@test "privileged instructions: all rows in both rooms, and what is changed is restored" {
	machine 'probes = privileged'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		rows_of $room cpuid verw cr3 invlpg rdmsr rdmsr-apic wrmsr sti-cli swapgs port-in lgdt \
			interrupt syscall xsave-avx xsaveopt-avx xrstor-avx touch cr3-touch clflush-absent \
			clflush-clean clflush-dirty
		for row in wbinvd-clean wbinvd-half wbinvd-full; do # which QEMU does not do
			some $room '.kind == "row" and .variant == "'$row'"'
		done
		some $room '.kind == "end" and .interrupts == 0' # between STI and CLI none comes
		some $room '.kind == "skip" and .variant == "xsave-sse" and
			.reason == "the processor says that components 0x7 are in use"'
	done
	said '5 MSRs were changed, 0 of them could not be restored'
}

@test "page walks: all rows of both rooms are proved, in pages of each size; nothing was changed" {
	export MEM=6G # an arena of 3 GiB: two pages of 1 GiB
	machine 'probes = walks'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		[ "$(rows $room walks)" -ge 46 ]
		for levels in 4 3 2; do
			for flushed in $(seq 0 $levels); do
				some $room '.kind == "row" and .variant == "invlpg" and .params.flushed == '$flushed' and
					.params.levels == '$levels' and .params.reads == '$levels
			done
			for reads in $(seq 1 $((levels - 1))); do
				some $room '.kind == "row" and .variant == "cr3" and .params.reads == '$reads' and
					.params.levels == '$levels' and .median > 0'
			done
		done
		some $room '.kind == "row" and .variant == "code-pages"' # not all, in an emulator's time
		refute some $room '.kind == "skip" and .probe == "walks" and .variant != "code-pages"'
		some $room '.kind == "end" and .exceptions == 0 and .status == "complete"'
	done
	refute said 'MSRs were changed'
}

@test "an exception in ring 3 ends the row: all else is measured, and what was changed is restored" {
	machine 'probes = privileged'
	tests/kam/patch-image "$vm/hlt.efi" 48ffc60f05 f490900f05 # where ring 3 counts, it may not halt
	put "$vm/hlt.efi" /EFI/BOOT/BOOTX64.EFI
	boot
	both_with_cpus 1
	for room in firmware bare; do
		some $room '.kind == "skip" and .variant == "syscall" and
			.reason == "the machine refuses it: general protection"'
		rows_of $room cr3-touch
		some $room '.kind == "end" and .exceptions == 1 and .status == "complete"'
	done
	said '5 MSRs were changed, 0 of them could not be restored'
}

@test "SMIs of a firmware that has SMM: they are counted, and one that is asked for takes its time" {
	export OVMF_CODE=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd QEMU_CPU=Skylake-Client
	machine 'probes = smm' 'smi_ask = 0x5d'
	boot -machine smm=on -global driver=cfi.pflash01,property=secure,value=on
	both_with_cpus 1
	for room in firmware bare; do
		some $room '.kind == "row" and .variant == "asked" and .median > 0 and .params.port == 178'
		some $room '.kind == "row" and .variant == "watch" and .more.smis == 0'
		some $room '.kind == "summary" and .name == "smis_per_second" and .value == 0 and .high > 1'
	done
	configure 'probes = smm:asked' 'smi_ask = 2' 'rooms = bare' # QEMU's ACPI_ENABLE
	boot -machine smm=on -global driver=cfi.pflash01,property=secure,value=on
	results
	some bare '.kind == "skip" and .variant == "asked" and
		.reason == "the FADT gives this value a meaning"'
}

@test "SMIs where nothing counts them: none is claimed, and none is asked for" {
	machine 'probes = smm' 'smi_ask = 0x5d'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		some $room '.kind == "skip" and .variant == "asked" and
			.reason == "SMIs are not counted here: whether one came could not be told"'
		some $room '.kind == "skip" and .variant == "smi-length" and
			.reason == "SMIs are not counted here"'
		some $room '.kind == "summary" and .name == "smis_per_second" and .value == null'
		some $room '.kind == "row" and .variant == "watch" and .more.smis == null'
	done
}

@test "loads of what was stored: all rows of both rooms are proved, or lack AVX" {
	machine 'probes = storeload'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		[ "$(rows $room storeload)" -ge 33 ]
		rows_of $room forward same-register other-register larger larger-vector overlap two-stores \
			forward-line forward-page alias apart load load-line load-page store store-line \
			store-page
		! some $room '.kind == "skip" and .probe == "storeload" and
			(.reason | test("^no AVX") | not)' || return 1
	done
}

@test "indirect jumps and returns: the generated code is proved in both rooms" {
	machine 'profile = default' 'probes = indirect'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		rows_of $room order period random returns returns-random
		! some $room '.kind == "skip" and .probe == "indirect"' || return 1
	done
}

@test "what issues in a cycle: the loops are proved in both rooms" {
	machine 'probes = limits'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		rows_of $room nop add lea imul shl shlx load-{64,128,256} store-{64,128,256} load-store \
			branch-not-taken branch-taken vector-{128,256} fma-256 mix
	done
}

# In an emulator's time half of the kinds; all of them: probes/backend/backend_stated.long.bats.
@test "what the window holds: generated code is proved in both rooms" {
	machine 'profile = default' \
		'probes = backend:any,backend:vector,backend:load,backend:load-waiting,backend:store-waiting'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		rows_of $room any vector load load-waiting store-waiting
	done
}

@test "USB controllers are found and the run is complete" {
	machine
	DISK=usb boot -device usb-ehci
	both_with_cpus 1
	[ "$(first_of firmware usb_handoff)" = null ]
	[ "$(first_of bare 'usb_handoff | map(.kind) | sort')" = '["ehci","xhci"]' ]
	said ' ehci: '
	said ' xhci: '
	configure 'usb_handoff = off'
	DISK=usb boot -device usb-ehci
	results
	complete bare 2
	[ "$(head -qn 1 "$vm"/results/*-bare.ndjson | jq -s 'map(select(.usb_handoff)) | length')" = 1 ]
}

# Of the rows of `frontend` those of code up to 4 KiB; all of them: probes/frontend/frontend_stated.long.bats.
@test "code of growing size: its rows in both rooms, proved" {
	machine 'probes = frontend' 'largest = 4k'
	boot
	both_with_cpus 1
	for room in firmware bare; do
		for row in dense six short long; do
			some $room '.kind == "row" and .variant == "'$row'" and .params.bytes == 4096 and .median > 0'
		done
		rows_of $room jump-end
		some $room '.kind == "end" and .status == "complete"'
	done
}
