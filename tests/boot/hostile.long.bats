#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Firmware that misbehaves, in front of a real one: tests/hostile/. A title is "MISBEHAVIOUR, ...:
# OUTCOME" (docs/testing.md). Processors: hostile-cpus.long.bats.

load helper

# survives [NAME[=N]...]: both rooms are complete, and their files come home.
survives() {
	machine
	hostile "$@"
	both_rooms_complete
}

# until TEXT [LINE...]: from power-on until that is said, then the power is cut.
until_said() {
	start
	off_at "$1"
	results
}

# on_the_card [NAME[=N]...]: the result cannot be stored; the machine stays on the card.
on_the_card() {
	machine
	hostile "$@"
	until_said 'finished and halted'
	complete firmware
	absent bare
	serial_result bare
	said 'The machine as measured in room bare'
}

# --- the exit, the memory map, the display ---

@test "gop-none: both rooms are complete" {
	survives gop-none
}

@test "gop-bltonly: both rooms are complete" {
	survives gop-bltonly
}

@test "gop-rotated: both rooms are complete" {
	survives gop-rotated
}

@test "gop-4k: both rooms are complete" {
	survives gop-4k
}

@test "gop-stride: the lines that room bare draws are straight" {
	machine 'rooms = bare' 'store = off' 'finish = halt'
	hostile gop-stride
	start
	await 'finished and halted'
	screen
	grep -q 'finished and halted' "$vm/screen"
}

@test "conout-none: both rooms are complete, and the serial line shows all that is said" {
	survives conout-none
	said 'room 1 of 2, firmware'
	said 'leaving the firmware'
}

# --- variables ---

@test "setvar-runs-boot-code, setvar-reads-high: room bare's result comes home" {
	survives setvar-runs-boot-code setvar-reads-high
}

@test "setvar-slow: both rooms are complete" {
	survives setvar-slow
}

@test "setvar-refuses: the machine stays on the card" {
	on_the_card setvar-refuses
	said 'NOT stored'
}

@test "setvar-refuses: with three calls granted nothing is left behind" {
	on_the_card setvar-refuses=3
	said 'NOT stored'
	hostile
	configure 'rooms = firmware' 'finish = halt'
	until_said 'finished and halted'
	refute said "The last start's room bare"
	refute said damaged
	# the note that the step came back was refused, too
	refute said 'did not come back from'
	said 'could note no more'
}

@test "setvar-lies: the lie is found, and the machine stays on the card" {
	on_the_card setvar-lies
	said 'NOT stored'
}

@test "setvar-faults: the call is ended, which is said, and the machine stays on the card" {
	on_the_card setvar-faults
	said "the firmware's SetVariable faulted:"
	said 'NOT stored'
}

@test "setvar-hangs: two starts are lost, and the next one leaves it out and says so" {
	machine 'rooms = bare' 'finish = halt'
	hostile setvar-hangs
	for _ in 1 2; do
		start
		await 'hostile: hangs in SetVariable'
		off
	done
	until_said 'finished and halted'
	said 'the last note of the start of'
	absent bare
	serial_result bare
	said 'The machine as measured in room bare'
	# Without variables no start can tell that it came to its end: room bare is left out once.
	until_said 'finished and halted'
	said 'cannot tell how it ended'
	said 'no room bare this once'
	refute said 'did not come back from'
	until_said 'finished and halted'
	said 'The machine as measured in room bare'
}

@test "query-unsupported: the result is stored all the same" {
	survives query-unsupported
}

@test "query-lies: both rooms are complete" {
	survives query-lies
}

@test "store-forgets: no endless loop of resets, and what was measured is on the card" {
	machine
	hostile store-forgets
	until_said 'finished and halted'
	[ "$(grep -c '^room bare,' "$vm/console")" -le 4 ]
	said 'The machine as measured in room bare'
}

# After the exit no file can be written: the count stands in it before.
@test "store-forgets: with store = off and finish = reset no more than three resets" {
	machine 'rooms = bare' 'store = off' 'finish = reset'
	hostile store-forgets
	start
	for ((i = 0; i < hang_seconds; i++)); do
		! grep -qaF 'finished and halted' "$vm/serial.log" || break
		[ "$(grep -ac 'hostile: store-forgets' "$vm/serial.log")" -le 4 ]
		sleep 1
	done
	off
	show
	said 'the last 3 runs ended so'
	[ "$(grep -c '^room bare,' "$vm/console")" = 4 ]
}

@test "store-never-reclaims: both rooms are complete, and so they are the next time" {
	survives store-never-reclaims=60000
	boot
	results
	complete firmware 2
	complete bare 2
}

@test "store-nearly-full: the machine stays on the card" {
	on_the_card store-nearly-full
	said 'nearly full'
}

# --- resets and the way home ---

# resets_home NAME: a reset that the firmware does not do is done otherwise.
resets_home() {
	machine 'finish = halt'
	hostile "$1"
	until_said 'finished and halted'
	complete firmware
	complete bare
}

@test "reset-returns: the machine is reset otherwise, and the result comes home" {
	resets_home reset-returns
}

@test "reset-faults: the machine is reset otherwise, and the result comes home" {
	resets_home reset-faults
}

@test "bootnext-ignored: the result waits until the medium is started again" {
	decoy "$BATS_TEST_TMPDIR/decoy.img"
	DECOY=$BATS_TEST_TMPDIR/decoy.img survives bootnext-ignored
	[ "$(grep -ac '(decoy)' "$vm/serial.log")" = 2 ]
}

# --- processors ---

# Each CPU has banks of its own, and those of noise look for gaps in their time.
@test "machine-check-pending: it is decoded, and counted by no room, with two CPUs" {
	machine 'probes = noise'
	hostile machine-check-pending
	SMP=2 boot
	said 'machine check'
	both_complete
	for room in firmware bare; do
		some $room '.kind == "end" and .machine_checks == 0'
	done
}

# --- files ---

@test "file-short-write: both rooms are complete" {
	survives file-short-write
}

@test "file-read-only: the machine stays on the card" {
	machine
	hostile file-read-only
	until_said 'finished and halted'
	said 'no result file'
	absent firmware
	absent bare
	said 'The machine as measured in room bare'
}

@test "file-vanishes: the console says that the file is not complete, and why" {
	machine 'rooms = firmware'
	hostile file-short-write file-vanishes
	until_said 'back to the firmware' # where no start can be counted, none switches off
	said 'is NOT complete'
	said 'no medium'
}

@test "file-short-write, file-fails: the console says that the file is not complete, and why" {
	machine 'rooms = firmware' 'finish = halt'
	hostile file-short-write file-fails
	start
	halted
	said 'is NOT complete'
	said 'device error'
}
