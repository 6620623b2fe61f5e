#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Provoked faults, one in each room of one start: a readable dump on the serial line and on the screen, and
# what was measured before is safe. More: faults-others.long.bats.

load helper
load faults_helper

# With store = off the machine halts at the end, so that its screen can be read.
setup_file() {
	one_machine
	provoking 'finish = halt' 'store = off' 'provoke_firmware = gp' 'provoke_bare = stack'
	halts_with_screen
}

@test "a general protection fault in room firmware: its file says how far it got, and room bare goes on" {
	said 'EXCEPTION 13: general protection'
	ended faulted firmware
	said 'room bare, 1 CPU(s)'
}

@test "a stack overflow in room bare meets the guard page" {
	dumped 'EXCEPTION 14: page fault'
	said 'write to an absent address'
	grep -q '\.text+0x' "$vm/console"
}
