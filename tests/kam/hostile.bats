#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The image on machines that misbehave, one line of tests/hostile/misbehaviours.def each: room bare
# is entered, measures right, and ends as expected. Those that do the most harm; hostile.long.bats
# has the others.

load hostile_helper

@test "a machine that behaves: the result comes home by variables and a reset" {
	hostile none
	comes_home
}

@test "exit-refused: after seven refusals the exit succeeds" {
	hostile exit-refused=7
	comes_home
}

@test "conout-none: measures and comes home" {
	hostile conout-none
	ends "reset by ACPI's register" halted
	measured
}
