#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Firmware that misbehaves, in front of a real one: tests/hostile/. Those that most machines may do;
# hostile.long.bats has the others. A title is "MISBEHAVIOUR, ...: OUTCOME" (docs/testing.md).

load helper

@test "exit-refused, map-grows, map-2000, map-odd-types, setvar-writes-472: room bare's result comes home" {
	machine 'rooms = bare'
	hostile exit-refused map-grows map-2000 map-odd-types setvar-writes-472
	boot
	results
	complete bare
}
