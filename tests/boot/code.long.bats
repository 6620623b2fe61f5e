#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The user's own code in ring 0: exceptions, what is out of reach, what is put back, what only a reset ends.

load helper
load code_helper
load watchdog_helper

@test "an instruction that is none ends the row, by vector and place" {
	with_code '90 0f 0b'
	ended_by 'exception 6, invalid opcode, at byte 1 of the code'
	for room in firmware bare; do
		some $room '.kind == "skip" and .more.vector == 6 and .more.code == "90 0f 0b"'
		some $room '.kind == "end" and .exceptions == 1'
	done
}

@test "a write outside of the arena is a page fault, although there is memory" {
	with_code '48 89 04 25 00 00 10 00'
	ended_by 'exception 14, page fault, at byte 0 of the code: write to 100000'
}

@test "instructions of ring 0: a register of the processor is read, CR3 written" {
	with_code '0f 32 0f 20 d8 0f 22 d8' 'code_init = b9 1b 00 00 00' 'code_unroll = 50'
	measured
}

@test "what the code leaves changed is put back: descriptor tables, CR0, CR4, flags, MXCSR" {
	# lidt [rsi]; cr0 |= TS; cr4 ^= TSD; std; mxcsr = 0: no exception is masked
	with_code '0f 01 1e 0f 20 c0 48 83 c8 08 0f 22 c0 0f 20 e0 48 83 f0 04 0f 22 e0 fd' \
		'code_init = 0f ae 16' 'code_unroll = 1'
	measured
}

@test "what the code leaves changed is as before when it is called again: GDT, segments, XCR0" {
	# Before: sgdt [rsi], limit 7ffh; ds = 10h; XCR0 has SSE; or else ud2. Then: the limit is 7f7h,
	# ds = es = 0, and XCR0 has the x87 only.
	with_code '0f 01 06 66 83 2e 08 0f 01 16 31 c0 8e d8 8e c0 31 c9 31 d2 b0 01 0f 01 d1' \
		'code_init = 0f 01 06 66 81 3e ff 07 74 02 0f 0b 8c d8 83 f8 10 74 02 0f 0b 31 c9 0f 01 d0 a8 02 75 02 0f 0b' \
		'code_unroll = 1'
	measured
}

@test "interrupts off and no return: the watchdog resets the machine, and the next start names the row" {
	machine 'probes = code' 'code = fa eb fe' 'rooms = bare' 'watchdog = 20'
	start "${tco[@]}"
	await "watchdog: the chipset's TCO timer"
	await 'the watchdog has reset the machine'
	off_at 'room 1 of 1, bare'
	said 'ended while this ran:'
	said 'code snippet'
}

@test "an exception while the code has TS set, and its stack pointer nowhere" {
	# cr0 |= TS; rsp = a hole that no page table has; ud2
	with_code '0f 20 c0 48 83 c8 08 0f 22 c0 48 c7 c4 00 00 00 40 0f 0b' 'code_unroll = 1'
	for room in firmware bare; do
		some $room '.kind == "skip" and .probe == "code" and (.more.vector == 14 or .more.vector == 8)'
	done
}

@test "code that does not return is ended" {
	with_code 'eb fe'
	ended_by 'it was ended after 1 s, at byte 0 of the code'
	for room in firmware bare; do
		some $room '.kind == "skip" and .more.late == true'
		some $room '.kind == "end" and .exceptions == 0'
	done
}

@test "apic-off: code that does not return is ended, and what follows is measured" {
	machine 'probes = code,clock:rdtsc' 'code = eb fe'
	hostile apic-off
	both_rooms_complete
	some bare '.kind == "skip" and .probe == "code" and .more.late == true'
	some bare '.kind == "row" and .probe == "clock" and .median > 0'
}
