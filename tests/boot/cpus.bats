#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Four CPUs, two threads a core, in both rooms, without any of the optional features: not every processor has
# them, and setups switch some off (NX). A program that uses one without asking resets the machine. CPUID does
# not say either that there is a hypervisor. More: cpus-others.long.bats.

load helper

setup_file() {
	one_machine
	machine 'probes = cores:bounce,noise' 'siblings = init'
	SMP=4,threads=2 QEMU_CPU=max$(printf ',-%s' $optional_features hypervisor) boot
	results
}

@test "four CPUs in both rooms, without any of the optional features" {
	both_with_cpus 4
	some firmware '.kind == "end" and .nmis == 0'
	some bare '.kind == "end" and .nmis == 0'
}

@test "an emulator that CPUID does not name is found out" {
	for room in firmware bare; do
		[ "$(first_of $room '| .emulated, .hypervisor, .may_be' | xargs)" = 'false  emulated' ]
		[[ "$(first_of $room may_be_why)" == *'the brand is'*'system is'*"ACPI's maker is"* ]]
	done
	said 'this may be an emulator although CPUID does not say so'
	said 'MAY BE EMULATED'
}

# started_as_needed: in room bare the sibling was started before each row of cores or noise that came after one of
# another probe, and no oftener; so it was stopped in between.
started_as_needed() {
	jq -es 'map(select(.kind == "row" or .kind == "skip" and (.reason | startswith("does not fit") | not)) |
			.probe == "cores" or .probe == "noise") as $needs |
		([range($needs | length) | select($needs[.] and (. == 0 or ($needs[. - 1] | not)))] | length) as $times |
		$times > 0 and map(select(.kind == "end").siblings_started) == [$times]' "$vm"/results/*-bare.ndjson
}

@test "without MONITOR those that wait halt; with siblings = init the sibling runs only while a row needs it" {
	[ "$(first_of bare 'idle | .asked, .halt' | xargs)" = 'deep 3' ]
	[ "$(first_of firmware 'idle | .asked, .halt' | xargs)" = 'deep 3' ]
	[ "$(first_of firmware siblings)" = '"halt"' ]
	[ "$(first_of bare siblings)" = '"not started"' ]
	started_as_needed
	some firmware '.kind == "end" and .siblings_started == null'
}

@test "cores has all pairs of CPUs, and noise looks at each CPU" {
	[ "$(jq -c 'select(.variant == "bounce")' "$vm"/results/*-firmware.ndjson | wc -l)" = 6 ]
	for room in firmware bare; do
		# There is time for as many as the host allows; skip lines may not fit into variables.
		[ "$(rows $room cores)" -ge 1 ]
		[ "$(rows $room noise)" -ge 5 ]
		[ "$(jq -c 'select(.variant == "gaps-all") | .params.cpu' "$vm"/results/*-$room.ndjson |
			sort | xargs)" = '0 1 2 3' ]
	done
}
