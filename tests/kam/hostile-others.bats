#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Room bare starts the other CPUs, by INIT and SIPI, on machines that make this difficult: they
# execute its code from the first instruction in real mode.

load hostile_helper

# with_cpus N NAMES [OPTION...]: the image on a machine of N CPUs that misbehaves so.
with_cpus() {
	local n=$1
	shift
	hostile "$@" --cpus "$n"
	ends "reset by ACPI's register" halted && measured
}

# uses N PAUSE MWAIT KICKED HALT: that many CPUs were used; so the others wait, and so many missed a write.
uses() {
	local came
	came=$(jq -r 'select(.kind == "run") | "\(.cpus) \(.idle | "\(.pause) \(.mwait) \(.kicked) \(.halt)")"' "$result")
	[ "$came" = "$*" ] || came "expected CPUs, pausing, in mwait, kicked, halted: $*; came: $came"
}

@test "three CPUs are started" {
	with_cpus 3 none
	uses 3 0 0 0 2
}

@test "monitor-does-not-wake: an NMI ends the MWAIT, and from then on that CPU halts" {
	with_cpus 3 monitor-does-not-wake
	uses 3 0 0 2 2
	[ "$(jq 'select(.kind == "end").nmis' "$result")" = 0 ] # these are its own
	with_cpus 3 monitor-does-not-wake=1
	uses 3 0 1 1 1
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

@test "xd-disabled, efer-nxe-off: each of three CPUs gets its own bit" {
	with_cpus 3 xd-disabled
	uses 3 0 0 0 2
	with_cpus 3 efer-nxe-off
	uses 3 0 0 0 2
}

@test "thermal-lvt-smi: each of three CPUs keeps the entry" {
	with_cpus 3 thermal-lvt-smi
	uses 3 0 0 0 2
}

@test "x2apic-at-entry, xapic-locked, apic-id-over-255: commands to ids of 32 bits" {
	with_cpus 3 xapic-locked
	uses 3 0 0 0 2
	with_cpus 2 x2apic-at-entry,apic-id-over-255
	uses 2 0 0 0 1
	with_cpus 2 apic-id-over-255 # whom the xAPIC cannot address
	uses 1 0 0 0 0
	says '1 CPUs have APIC ids that this APIC mode does not reach'
}
