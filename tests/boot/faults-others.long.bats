#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# More faults: each is reported, and what was measured before is kept.

load helper
load faults_helper

# faulted_in_bare DUMP: room bare shows it; room firmware is in its file, complete.
faulted_in_bare() {
	halts_with_screen
	dumped "$1"
	complete firmware
}

@test "a page fault in room bare" {
	provoking 'finish = halt' 'store = off' 'provoke_bare = pf'
	faulted_in_bare 'EXCEPTION 14: page fault'
	said 'write to an absent address 0000000000000008'
}

@test "a double fault in room bare" {
	provoking 'finish = halt' 'store = off' 'provoke_bare = df'
	faulted_in_bare 'EXCEPTION 8: double fault'
}

@test "a condition of ours that does not hold, in room firmware: room bare goes on" {
	provoking 'provoke_firmware = ensure'
	boot
	said 'PANIC: tests/provoke/provoke.c:'
	said ': this must hold: what != FAULT_ENSURE'
	results
	ended faulted firmware
	complete bare
}

@test "an invalid opcode in room bare: what was measured before is saved" {
	provoking 'provoke_bare = ud'
	boot
	said 'EXCEPTION 6: invalid opcode'
	results
	complete firmware
	ended faulted bare
	grep -q '"kind":"row"' "$vm"/results/*-bare.ndjson
}
