#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a runtime service or a processor does wrong after the exit: room bare's result comes home.

load hostile_helper

@test "setvar-writes-472: page 0 is there for it, and the result comes home" {
	hostile setvar-writes-472
	comes_home
	never_says "the firmware's"
}

@test "setvar-runs-boot-code: it is executed, and the result comes home" {
	hostile setvar-runs-boot-code
	comes_home
	never_says "the firmware's"
}

@test "setvar-reads-high: the page is mapped, which is said, and the result comes home" {
	hostile setvar-reads-high
	comes_home
	says "^the firmware's SetVariable used 1 page.s. not asked for, from 140000000$"
}

@test "machine-check-pending: it is decoded, and left for who logs it" {
	hostile machine-check-pending
	comes_home
	says '^1 machine check.s. from before this start:' \
		'^  bank 1: uncorrected, cache, processor state lost' '^    status b200000000000134,'
	never_says 'came while this room'
}

@test "cr4-unknown: the bit is off while rows are measured" {
	hostile cr4-unknown
	comes_home
}

@test "setvar-faults: the call is ended, which is said, and the machine stays on the card" {
	for n in 0 3; do
		hostile setvar-faults=$n
		ends halted
		measured
		says "^the firmware's SetVariable faulted:$" '^  invalid opcode at [0-9a-f]+$' \
			'^the result is NOT stored: ' '^core +[0-9.]+ GHz'
		# beside what a person is asked to do: the text above that is gone from a display
		grep -B1 'this screen is the result' "$said.lines" | grep -q '^the result is NOT stored: ' ||
			came 'expected the reason in the line before "this screen is the result"'
	done
}

@test "setvar-hangs: two starts are lost, the next one does not call it" {
	hostile setvar-hangs
	ends 'hang in SetVariable' 'hang in SetVariable' halted
	measured
	says 'the last note of the start of .* is: runtime' 'it hung there, was switched off, or' \
		'^core +[0-9.]+ GHz'
}
