#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How room bare's result becomes a file: variables, reset, harvest, file, variables deleted. From other
# media than machines.bats has. With the power cut: power-cut.long.bats, and at every step of the
# variables and the file, tests/unit/kernel/store_test.c.

load helper

# card ROOM: the lines of the cards of that room on the console, without those of an empty screen.
card() {
	sed -n "/^The machine as measured in room $1 /,/^? not resolved/p" "$vm/console" | grep .
}

@test "from a USB stick, with another disk first in the boot order; nothing stays behind" {
	decoy "$BATS_TEST_TMPDIR/decoy.img"
	export DISK=usb DECOY=$BATS_TEST_TMPDIR/decoy.img
	machine
	both_rooms_complete
	# The first start came by the boot order, past the decoy; the second by BootNext, straight.
	[ "$(grep -ac '(decoy)' "$vm/serial.log")" = 1 ]
	said 'after room bare the machine resets'
	said "The last start's room bare"
	said "the result is safe: \\results\\$(basename "$vm"/results/*-bare.ndjson)"
	# The room prints its card, and the start that brings it home prints the same one again.
	card bare | sort | uniq -c >"$BATS_TEST_TMPDIR/cards"
	cat "$BATS_TEST_TMPDIR/cards"
	[ -s "$BATS_TEST_TMPDIR/cards" ]
	refute grep -qv '^ *2 ' "$BATS_TEST_TMPDIR/cards"
	# The page of room firmware alone was written anew, with both rooms.
	[ "$(grep -c '^a page shows them' "$vm/console")" = 2 ]
	build/anechoic report "$vm"/results/*-{firmware,bare}.ndjson --out "$vm/report.html"
	tests/page/same_pictures.py "$vm"/results/*.html "$vm/report.html"

	configure 'rooms = firmware'
	boot
	refute said "The last start's room bare"
	results
	complete firmware 2
	complete bare 1
}

@test "from a directory of the host (fat:rw:)" {
	export DISK=fat
	mkdir -p "$vm/disk/EFI/BOOT" "$vm/disk/results"
	cp "$efi" "$vm/disk/EFI/BOOT/BOOTX64.EFI"
	# One room, and no file that is written again: QEMU's vvfat before 9.1 ends with an assertion then.
	printf '%s\n' 'profile = smoke' 'probes = clock' 'finish = poweroff' 'prompt = 0' \
		'countdown = 0' 'rooms = firmware' 'state = off' 'html = off' >"$vm/disk/anechoic.cfg"
	boot
	# Only the machine's own view: that vvfat garbles a file on the host that grows after it was
	# first written, as room firmware's does.
	[ "$(grep -c 'read back, the same' "$vm/console")" = 1 ]
	refute said 'a page shows them'
}
