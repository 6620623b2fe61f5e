#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# More faults: each is reported, and what was measured before is kept.

load helper
load faults_helper

@test "a double fault in room bare" {
	provoking 'finish = halt' 'store = off' 'provoke = df' 'provoke_room = bare'
	faulted_in_bare 'EXCEPTION 8: double fault'
}

@test "a condition of ours that does not hold, in room bare" {
	provoking 'finish = halt' 'store = off' 'provoke = ensure' 'provoke_room = bare'
	faulted_in_bare 'PANIC: tests/provoke/provoke.c:'
	grep -qF ': this must hold: what != FAULT_ENSURE' "$vm/screen"
}

@test "an invalid opcode in room bare: what was measured before is saved" {
	provoking 'provoke = ud' 'provoke_room = bare'
	boot
	said 'EXCEPTION 6: invalid opcode'
	results
	complete firmware
	ended faulted bare
	grep -q '"kind":"row"' "$vm"/results/*-bare.ndjson
}
