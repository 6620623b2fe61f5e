#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Several processors. More: cpus-others.long.bats.

load helper

# started_as_needed: in room bare the sibling was started before each row of cores or noise that came after one of
# another probe, and no oftener; so it was stopped in between.
started_as_needed() {
	jq -es 'map(select(.kind == "row" or .kind == "skip" and (.reason | startswith("does not fit") | not)) |
			.probe == "cores" or .probe == "noise") as $needs |
		([range($needs | length) | select($needs[.] and (. == 0 or ($needs[. - 1] | not)))] | length) as $times |
		$times > 0 and map(select(.kind == "end").siblings_started) == [$times]' "$vm"/results/*-bare.ndjson
}

# Two threads a core, and no MONITOR: those that wait halt, and the sibling of the measuring CPU is started
# in room bare only while a row needs it.
@test "four CPUs: cores and noise in both rooms" {
	machine 'probes = cores,noise'
	SMP=4,threads=2 QEMU_CPU=max,-monitor boot
	both_with_cpus 4
	[ "$(first_of bare 'idle | .asked, .halt' | xargs)" = 'deep 3' ]
	[ "$(first_of firmware 'idle | .asked, .halt' | xargs)" = 'deep 3' ]
	[ "$(first_of firmware siblings)" = '"halt"' ]
	[ "$(first_of bare siblings)" = '"not started"' ]
	started_as_needed
	[ "$(jq -c 'select(.variant == "bounce")' "$vm"/results/*-firmware.ndjson | wc -l)" = 6 ] # all pairs
	some bare '.kind == "end" and .nmis == 0'
	some firmware '.kind == "end" and .siblings_started == null and .nmis == 0'
	for room in firmware bare; do
		# There is time for as many as the host allows; skip lines may not fit into variables.
		[ "$(rows $room cores)" -ge 1 ]
		[ "$(rows $room noise)" -ge 5 ]
		[ "$(jq -c 'select(.variant == "gaps-all") | .params.cpu' "$vm"/results/*-$room.ndjson |
			sort | xargs)" = '0 1 2 3' ]
	done
}

# Not every processor has them, and setups switch some off (NX). What uses one without asking resets the machine.
# Nor does it say that there is a hypervisor: it is found out all the same.
@test "without any of the optional features" {
	lacking $optional_features hypervisor
	for room in firmware bare; do
		[ "$(first_of $room '| .emulated, .hypervisor, .may_be' | xargs)" = 'false  emulated' ]
		[ "$(first_of $room siblings)" = '"none"' ]
		[[ "$(first_of $room may_be_why)" == *'the brand is'*'system is'*"ACPI's maker is"* ]]
	done
	said 'this may be an emulator although CPUID does not say so'
	said '*** MAY BE EMULATED ***'
}
