#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What each of the CPUs has that room bare starts: its own bits, entries and ids.

load hostile_helper

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
