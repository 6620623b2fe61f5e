#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Room bare starts the other CPUs, by INIT and SIPI, on machines that make this difficult: they
# execute its code from the first instruction in real mode. hostile-others.long.bats: what each gets.

load hostile_helper

@test "three CPUs are started" {
	with_cpus 3 none
	uses 3 0 0 0 2
}

@test "monitor-does-not-wake: an NMI ends the MWAIT, and from then on each one of that CPU" {
	with_cpus 3 monitor-does-not-wake
	uses 3 0 2 2 0
	[ "$(jq 'select(.kind == "end").nmis' "$result")" = 0 ] # these are its own
	with_cpus 3 monitor-does-not-wake=1
	uses 3 0 2 1 0
	with_cpus 3 monitor-does-not-wake=1000000 # it wakes each time
	uses 3 0 2 0 0
}

@test "nmi-before-hlt: a CPU that compared before the NMI and halts after it is not lost" {
	with_cpus 3 nmi-before-hlt
	uses 3 0 0 0 2
}

@test "nmi-stray: counted, and the CPU halts on until its call comes" {
	with_cpus 3 nmi-stray
	uses 3 0 0 0 2
	[ "$(jq 'select(.kind == "end").nmis' "$result")" = 2 ]
	with_cpus 3 none
	[ "$(jq 'select(.kind == "end").nmis' "$result")" = 0 ]
}
