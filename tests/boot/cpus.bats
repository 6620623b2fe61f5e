#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Several processors, and an MSR that is restored after a fault.

load helper

@test "four CPUs: cores and noise in both rooms" {
	machine 'probes = cores,noise'
	SMP=4 boot
	both_with_cpus 4
	[ "$(first_of bare 'idle | .asked, .deep + .mwait + .pause' | xargs)" = 'deep 3' ]
	[ "$(first_of firmware 'idle | .asked, .deep + .mwait + .pause' | xargs)" = 'deep 3' ]
	for room in firmware bare; do
		[ "$(rows $room cores)" -gt 6 ]
		[ "$(rows $room noise)" -ge 5 ]
		[ "$(jq -c 'select(.variant == "gaps-all") | .params.cpu' "$vm"/results/*-$room.ndjson |
			sort | xargs)" = '0 1 2 3' ]
	done
}

@test "an MSR that was changed is restored after a fault" {
	machine 'probes = memtype' 'rooms = firmware' 'provoke = ud' # while wc-latency's type is set
	boot
	results
	ended faulted firmware
	said '1 MSRs were changed, 0 of them could not be restored'
}
