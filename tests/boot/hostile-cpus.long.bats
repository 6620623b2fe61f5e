#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Firmware that misbehaves with processors: tests/hostile/.

load helper

@test "mp-absent: said, one CPU in room firmware, all in room bare" {
	machine
	hostile mp-absent
	SMP=2 boot
	said 'the firmware has no MP Services'
	both_complete
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

# refused REASON: room firmware has one CPU, room bare all, and one line says why.
refused() {
	said 'the firmware starts no other CPU once a boot option runs:'
	said "  $1; room firmware has one CPU"
	refute said 'does not respond'
	both_complete
	[ "$(first_of firmware '| .cpus, .idle.refused, .idle.unresponsive' | xargs)" = "1 $1 0" ]
	[ "$(first_of bare '| .cpus, .idle.refused' | xargs)" = '4 null' ]
}

@test "mp-refuses: one line says so, one CPU in room firmware, all in room bare" {
	machine
	hostile mp-refuses
	SMP=4 boot
	refused 'not supported'
}

@test "mp-blocks: the first CPU gives its call up, one CPU in room firmware, all in room bare" {
	machine
	hostile mp-blocks
	SMP=4 boot
	refused 'its StartupThisAP waits for the CPU'
}

@test "mtrr-hole: the arena is the memory that is write-back" {
	machine
	hostile mtrr-hole=512
	boot
	both_complete
	[ "$(first_of bare memory_type | jq -r '.mtrr, .write_back' | xargs)" = 'write-back true' ]
}
