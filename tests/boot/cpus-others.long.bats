#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# CPUs that come late or never; CPU controls that an emulator does not have, or that a fault leaves set.

load helper

# Two threads a core, all features but MONITOR: those that wait halt.
@test "four CPUs, with what an emulated processor has: cores and noise in both rooms" {
	machine 'probes = cores,noise'
	SMP=4,threads=2 QEMU_CPU=max,-monitor boot
	both_with_cpus 4
	[ "$(first_of bare siblings)" = '"halt"' ]
	for room in firmware bare; do
		[ "$(rows $room cores)" -ge 1 ]
		[ "$(rows $room noise)" -ge 5 ]
	done
}

@test "CPU controls that this machine does not have: named, and the run is complete" {
	machine 'probes = latency' 'largest = 64k' 'prefetch = both' 'clock = fixed'
	SMP=2 boot
	both_with_cpus 2
	for room in firmware bare; do
		[ "$(first_of $room clock.asked)" = '"fixed"' ]
		[ "$(first_of $room clock.set)" = false ]
		[ "$(first_of $room clock.why)" != null ]
		[ "$(first_of $room speed.ratio)" = null ] # it answers 0 for what it does not have
		[ "$(first_of $room speed.why)" != null ]
		[ "$(first_of $room prefetch.works)" = false ]
		[ "$(first_of $room prefetch.why)" != null ]
		some $room '.kind == "row" and .params.prefetch == 1'
		some $room '.kind == "skip" and .params.prefetch == 0'
		refute some $room '.kind == "row" and .params.prefetch == 0'
	done
	said 'prefetchers stay on'
}

@test "a CPU that may come later and one that never answers" {
	provoking 'provoke_firmware = cpu'
	SMP=4,maxcpus=8 boot
	both_with_cpus 3
	said 'does not respond: it is not used'
}

@test "an MSR that was changed is restored after a fault" {
	provoking 'probes = memtype' 'rooms = firmware' 'provoke_firmware = ud' # while wc-latency's type is set
	boot
	results
	ended faulted firmware
	said '1 MSRs were changed, 0 of them could not be restored'
}

@test "without each of the optional features by itself" {
	local feature
	for feature in $optional_features; do
		echo "=== without $feature"
		lacking "$feature"
		[ "$feature" = monitor ] || [ "$(first_of bare 'idle | .deep + .mwait' | xargs)" = 1 ]
		rm -rf "$vm"
	done
}

# Only the boot CPU starts at the firmware after INIT: it cannot be stopped so.
@test "two threads a core: with siblings = init that of the measuring CPU is stopped, or waits if it is the boot CPU" {
	local cpu
	for cpu in 1 2; do
		machine "cpu = $cpu" 'rooms = bare' 'siblings = init' 'probes = ilp:add,noise'
		SMP=4,threads=2 boot
		results
		complete bare
		[ "$(first_of bare '| .measured_on, .cpus' | xargs)" = "$cpu 4" ]
		if [ $cpu = 1 ]; then
			[[ "$(first_of bare siblings)" = '"deep"' || "$(first_of bare siblings)" = '"mwait"' ]]
			some bare '.kind == "end" and .siblings_started == 0'
		else
			[ "$(first_of bare siblings)" = '"not started"' ]
			some bare '.kind == "end" and .siblings_started > 0'
		fi
		rm -rf "$vm"
	done
}

# TCG makes what is locked atomic among its threads. It traps no lock across lines, and takes its time for one.
@test "locked operations of two CPUs: no addition is lost" {
	machine 'probes = atomics' 'profile = default' # in smoke's 10 s a busy host has no time for all rows
	SMP=2 boot
	both_with_cpus 2
	for room in firmware bare; do
		rows_of $room add lock-add cas cas-fails lock-xadd xchg store-mfence
		for row in shared shared-cas false-sharing own-lines false-sharing-add own-lines-add; do
			some $room '.kind == "row" and .variant == "'$row'" and .params.cpus == 2 and
				.more.cpu_ns_least <= .more.cpu_ns_most'
		done
		some $room '.variant == "split" and (.kind == "row" or (.reason | test("locks across lines are trapped")))'
		some $room '.name == "atomics_shared_ns" and .value > 0'
	done
}

# An emulator has one clock. Where the host is busy there is no time for the drift.
@test "the TSCs of two CPUs: bounds that hold, and no TSC_ADJUST" {
	machine 'probes = skew'
	SMP=2 boot
	both_with_cpus 2
	for room in firmware bare; do
		some $room '.variant == "adjust" and .reason == "CPUID says that there is no TSC_ADJUST"'
		some $room '.variant == "offset" and .samples >= 3 and .more.low_ns <= 0 and .more.high_ns >= 0'
		some $room '.variant == "drift" and (.kind == "skip" or
			.more.low_ppm <= .median and .more.high_ppm >= .median)'
		some $room '.name == "tsc_skew_ns" and .low == 0 and .high > 0'
	done
}

# Timings mean nothing here, and the host may take a CPU away: then its row says so.
@test "a CPU that waits is woken by a store, an interrupt and an NMI; one alone says why not" {
	local doubts='^(a CPU was taken away|its clock does not settle|does not fit|it was not woken|no TSC deadline)'
	machine 'probes = wake,clock:core-clock' 'profile = default'
	SMP=2 QEMU_CPU=max boot
	both_with_cpus 2
	for variant in store-pause store-mwait interrupt-pause interrupt-hlt interrupt-mwait nmi-hlt clock-hlt \
		clock-mwait timer-pause timer-hlt; do
		some bare ".variant == \"$variant\" and (.kind == \"row\" or (.reason | test(\"$doubts\")))"
		some firmware ".variant == \"$variant\" and
			.reason == \"only in room bare: here the firmware has interrupts\""
	done
	[ "$(jq -r 'select(.kind == "row" and (.variant | test("store|interrupt|nmi"))).variant' \
		"$vm"/results/*-bare.ndjson | sort -u | wc -l)" -ge 3 ]
	some bare '.kind == "end" and .nmis == 0 and .interrupts == 0 and .exceptions == 0'
	configure 'probes = wake' 'rooms = bare'
	SMP=1 boot
	results
	some bare '.kind == "skip" and .variant == "interrupt-hlt" and .reason == "no second processor"'
}

# QEMU's processors lose their MTRRs by INIT, against SDM vol. 3A 9.1.1, and EDK2 starts each by an INIT.
@test "other CPUs whose MTRRs differ are told, on the console and in the run line" {
	machine
	SMP=2 QEMU_CPU=max,-hypervisor boot
	said '1 CPU(s) have other memory types (MTRRs, PAT) than the boot CPU'
	both_with_cpus 2
	for room in firmware bare; do
		[ "$(first_of $room memory_type.cpus_differ)" = 1 ]
	done
}
