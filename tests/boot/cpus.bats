#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Several processors, and the CPU controls that an emulator does not have: every run is complete all the same.

load helper

# places ROOM: package, core and thread of each CPU of the room's run line, sorted, one a line.
places() {
	head -n 1 "$vm"/results/*-"$1".ndjson |
		jq -r '.topology[] | "\(.package) \(.core) \(.thread)"' | sort
}

# rows ROOM PROBE: how many rows the probe has, skipped ones included.
rows() {
	jq -r "select(.probe == \"$2\") | .kind" "$vm"/results/*-"$1".ndjson | grep -c .
}

# some ROOM CONDITION: it holds for a line of the room's result.
some() {
	jq -es "any(.[]; $2)" "$vm"/results/*-"$1".ndjson >/dev/null
}

both_with_cpus() { # COUNT
	results
	for room in firmware bare; do
		complete $room
		[ "$(first_of $room cpus)" = "$1" ]
		[ "$(first_of $room 'topology | length')" = "$1" ]
	done
}

@test "four CPUs: cores and noise in both rooms" {
	machine 'probes = cores,noise'
	SMP=4 boot
	both_with_cpus 4
	for room in firmware bare; do
		[ "$(rows $room cores)" -gt 6 ]
		[ "$(rows $room noise)" -ge 5 ]
		[ "$(jq -c 'select(.variant == "gaps-all") | .params.cpu' "$vm"/results/*-$room.ndjson |
			sort | xargs)" = '0 1 2 3' ]
	done
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

@test "a CPU that may come later and one that never answers" {
	machine 'provoke = cpu'
	SMP=4,maxcpus=8 boot
	both_with_cpus 3
	said 'does not respond: it is not used'
}

@test "CPU controls that this machine does not have: named, and the run is complete" {
	machine 'probes = latency' 'largest = 64k' 'prefetch = both' 'clock = fixed'
	SMP=2 boot
	both_with_cpus 2
	for room in firmware bare; do
		[ "$(first_of $room clock.asked)" = '"fixed"' ]
		[ "$(first_of $room clock.fixed)" = false ]
		[ "$(first_of $room clock.why)" != null ]
		[ "$(first_of $room prefetch.works)" = false ]
		[ "$(first_of $room prefetch.why)" != null ]
		some $room '.kind == "row" and .params.prefetch == 1'
		some $room '.kind == "skip" and .params.prefetch == 0'
		refute some $room '.kind == "row" and .params.prefetch == 0'
	done
	said 'prefetchers stay on'
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

@test "an MSR that was changed is restored after a fault" {
	machine 'probes = memtype' 'rooms = firmware' 'provoke = ud' # while wc-latency's type is set
	boot
	results
	ended faulted firmware
	said '1 MSRs were changed, 0 of them could not be restored'
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
