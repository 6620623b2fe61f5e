#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# finish = setup: the restart into the firmware's setup, after the result is on the medium. In a real
# firmware: tests/boot/setup.long.bats.

load hostile_helper

by="reset by ACPI's register"

@test "the setup follows when room bare's result has come home" {
	hostile none --load 'finish=setup'
	ends "$by" "$by" "in the firmware's setup"
	measured
	says 'shows the card once more and restarts into the firmware.s setup' \
		'is now in .results.20000101T000000Z-bare.ndjson'
	never_says 'no setup'
}

@test "after the exit, where nothing is to come home" {
	hostile none --load 'finish=setup store=off rooms=bare'
	ends "$by" "in the firmware's setup"
}

@test "setup-none: said, and back to the firmware; after the exit it halts" {
	hostile setup-none --load 'finish=setup'
	ends "$by" returned
	measured
	says 'shows the card once more and goes back to the firmware' '^no setup:$' \
		'the firmware does not say that a program can ask for it'
	never_says 'again and again'
	hostile setup-none --load 'finish=setup store=off rooms=bare'
	ends halted
	says '^no setup:$'
}

@test "setup-refused: said, and back to the firmware; after the exit it halts" {
	hostile setup-refused --load 'finish=setup'
	ends "$by" returned
	measured
	says '^no setup:$' 'the firmware does not store that it is asked for'
	never_says 'again and again'
	hostile setup-refused --load 'finish=setup store=off rooms=bare'
	ends halted
	says '^no setup:$'
}

@test "indications-used: the other bit stays, and the setup follows" {
	hostile indications-used --load 'finish=setup rooms=firmware'
	ends "$by" "in the firmware's setup"
}
