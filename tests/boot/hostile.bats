#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Firmware that misbehaves, in front of a real one: tests/hostile/. All of them: hostile.long.bats.

load helper

@test "exit-refused: the exit is tried again, and both rooms are complete" {
	machine
	hostile exit-refused
	both_rooms_complete
}
