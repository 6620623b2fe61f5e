#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# More faults: each is reported, and what was measured before is kept.

load helper
load faults_helper

@test "a double fault in room bare" {
	provoking 'finish = halt' 'store = off' 'provoke = df' 'provoke_room = bare'
	faulted_in_bare 'EXCEPTION 8: double fault'
}

@test "a panic in room firmware: room bare goes on" {
	provoking 'provoke = panic' 'provoke_room = firmware'
	faulted_in_firmware 'PANIC'
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
