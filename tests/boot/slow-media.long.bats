#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A slow stick, a slow serial line and a large screen take no measuring time: the same rows as without.
# Under -icount, where time is a count of instructions, no load of the host makes a difference.

load helper

# plan_of ROOM: what each row and each skip of the room's result is, one a line.
plan_of() {
	jq -c 'select(.kind == "row" or .kind == "skip") | [.kind, .probe, .variant, .params, .reason]' \
		"$vm"/results/*-"$1".ndjson
}

# plans FILE [QEMU ARGUMENT...]: a run from power-on to the harvest; its rows, both rooms, to the file.
plans() {
	local file=$1
	shift
	boot -icount shift=5,sleep=off "$@"
	both_complete
	{
		plan_of firmware
		plan_of bare
	} >"$file"
}

# the_same [QEMU ARGUMENT...]: the rows of the present machine are those of a plain one.
the_same() {
	plans "$BATS_TEST_TMPDIR/slow" "$@"
	rm -rf "$vm"
	unset IOPS DISPLAY_CARD SERIAL
	machine
	plans "$BATS_TEST_TMPDIR/plain"
	[ "$(grep -c '^\["row"' "$BATS_TEST_TMPDIR/plain")" -ge 20 ]
	diff "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/slow"
}

@test "a stick of 100 reads and writes a second" {
	export IOPS=100
	machine
	the_same
}

@test "file-slow: every write and flush takes 65 ms, and the rows are the same" {
	machine
	hostile file-slow=65
	the_same
}

@test "a screen of 3840 x 2160 pixels" {
	export DISPLAY_CARD=VGA,xres=3840,yres=2160,vgamem_mb=64
	machine
	the_same
}

# QEMU's port is as fast as the reader of its pipe, which holds a page.
@test "a serial line of 9600 baud" {
	machine
	mkfifo "$vm/com1.in" "$vm/com1.out"
	python3 tests/boot/slow_reader.py "$vm/com1.out" 960 >"$BATS_TEST_TMPDIR/serial" 3>&- &
	export SERIAL=pipe:$vm/com1
	the_same
	grep -q '"kind":"end","room":"bare"' "$BATS_TEST_TMPDIR/serial"
}
