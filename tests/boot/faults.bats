#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Provoked faults: a readable dump on the serial line and on the screen, and what was measured before
# is safe. With store = off the machine halts at the end, so that its screen can be read.

load helper
load faults_helper

@test "a page fault in room bare" {
	provoking 'finish = halt' 'store = off' 'provoke = pf' 'provoke_room = bare'
	faulted_in_bare 'EXCEPTION 14: page fault'
	said 'write to an absent address 0000000000000008'
	grep -q '\.text+0x' "$vm/console"
}

@test "a stack overflow in room bare meets the guard page" {
	provoking 'finish = halt' 'store = off' 'provoke = stack' 'provoke_room = bare'
	faulted_in_bare 'EXCEPTION 14: page fault'
}

@test "a general protection fault in room firmware: room bare goes on" {
	provoking 'provoke = gp' 'provoke_room = firmware'
	faulted_in_firmware 'EXCEPTION 13: general protection'
}
