#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Processors and memory maps of firmware that misbehaves: tests/hostile/.

load helper

@test "mp-absent: said, one CPU in room firmware, all in room bare" {
	machine
	hostile mp-absent
	SMP=2 boot
	said 'the firmware has no MP Services'
	results
	complete firmware
	complete bare
	[ "$(first_of firmware cpus)" = 1 ]
	[ "$(first_of bare cpus)" = 2 ]
}

# It is the firmware's for ever, so the exit might wait for it for ever.
@test "ap-spins: the CPU is not used, and the firmware is not left" {
	machine
	hostile ap-spins
	SMP=2 boot
	said 'CPU 1 (APIC id 1) does not respond'
	said 'no room bare: CPU 1 has not come back'
	results
	complete firmware
	absent bare
}

@test "ap-faults: the CPU is not used, and the firmware is not left" {
	machine
	hostile ap-faults
	SMP=2 boot
	said 'CPU 1 (APIC id 1) does not respond'
	said 'no room bare: CPU 1 has not come back'
	results
	complete firmware
	absent bare
}

@test "efer-nxe-off: both CPUs in both rooms" {
	machine
	hostile efer-nxe-off
	SMP=2 boot
	both_with_cpus 2
}

@test "memory maps that grow, are long, or have entries of unknown types" {
	machine
	for name in map-grows=16 map-2000 map-odd-types; do
		hostile $name
		boot
		results
		complete firmware
		complete bare
		rm -f "$vm"/results/*
		mdel -i "$vm/disk.img@@1M" '::/results/*'
	done
}

@test "a step is forgotten where the configuration says so, or there is no state file" {
	machine 'rooms = firmware'
	hostile mp-never-returns
	SMP=2 start
	await "by the firmware's MP Services"
	off
	hostile
	configure 'rooms = firmware' 'state = off'
	SMP=2 boot
	refute said 'did not come back'
	configure 'rooms = firmware' 'state = clear'
	SMP=2 boot
	refute said 'did not come back'
	results
	[ "$(first_of firmware cpus)" = 2 ]
	configure 'rooms = firmware' 'cpus = 1'
	SMP=2 boot
	said 'cpus = 1'
	configure 'rooms = firmware' 'mp_services = off'
	SMP=2 boot
	said 'mp_services = off'
}
