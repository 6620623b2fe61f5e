#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One machine with two CPUs, started from a USB stick: room firmware, room bare, the reset, and the start
# that brings room bare's result home. Its configuration has mistakes, and code of the user's own. With the
# power cut: power-cut.long.bats, and at every step of the variables and the file,
# tests/unit/kernel/store_test.c. Other machines: machines.bats.

load helper
load code_helper

setup_file() {
	one_machine
	mkdir -p "$vm"
	decoy "$vm/decoy.img"
	machine
	printf '\xef\xbb\xbf' >"$vm/anechoic.cfg"
	printf '%s\r\n' 'profile = smoke' 'probes = code,clock,clock:nosuch' 'finish = poweroff' 'profil = full' \
		'seed = many' 'prompt = 0' 'countdown = 0' 'code = 48 0f af c0' 'probes = latency,nosuch' \
		'code_unroll = 100' 'code_loop = 3' >>"$vm/anechoic.cfg"
	put "$vm/anechoic.cfg" /anechoic.cfg
	SMP=2 DISK=usb DECOY=$vm/decoy.img boot
	results
}

@test "both rooms are complete, with both CPUs, in the files and on the serial line" {
	for room in firmware bare; do
		complete $room
		[ "$(first_of $room cpus)" = 2 ]
		[ "$(first_of $room 'topology | length')" = 2 ]
	done
	serial_result bare
	[ "$(first_of bare tsc_hz)" != null ]
	[ "$(first_of bare smbios.memory_modules)" = '"1 x 2 GiB at ? MT/s"' ]
	[ "$(first_of bare smbios.memory_limit_gbs)" = null ] # QEMU states no rate
}

@test "an emulator is called one, on the console and in both results" {
	said EMULATED
	[ "$(first_of firmware emulated)" = true ]
	[ "$(first_of bare emulated)" = true ]
}

@test "no line of the console has more than 80 columns" {
	narrow
}

@test "the watchdog is on, and resets nothing in a run that ends well" {
	said "watchdog: the chipset's TCO timer"
	said "(QEMU's only with -global ICH9-LPC.noreboot=false)" # no register tells whether it is
	refute grep 'has reset the machine' "$vm/console"
}

@test "the first start comes by the boot order, past another disk; the second one straight, by BootNext" {
	[ "$(grep -ac '(decoy)' "$vm/serial.log")" = 1 ]
	said 'after room bare the machine resets'
	said "The last start's room bare"
	said "the result is safe: \\results\\$(basename "$vm"/results/*-bare.ndjson)"
}

# card ROOM: the lines of the cards of that room on the console that a file's card has, too.
card() {
	awk -v head="The machine as measured in room $1 " 'index($0, head) == 1 { shown = 1 }
		!NF || / bytes of results, packed/ { shown = 0 }
		shown && !/^NOT DONE/' "$vm/console"
}

@test "room bare prints its card, and the start that brings it home prints the same one again" {
	card bare | sort | uniq -c >"$BATS_TEST_TMPDIR/cards"
	cat "$BATS_TEST_TMPDIR/cards"
	[ -s "$BATS_TEST_TMPDIR/cards" ]
	refute grep -qv '^ *2 ' "$BATS_TEST_TMPDIR/cards"
}

@test "the page on the stick is written again with both rooms, as anechoic report draws them" {
	[ "$(grep -c '^a page shows them' "$vm/console")" = 2 ]
	build/anechoic report "$vm"/results/*-{firmware,bare}.ndjson --out "$BATS_TEST_TMPDIR/report.html"
	tests/page/same_pictures.py "$vm"/results/*.html "$BATS_TEST_TMPDIR/report.html"
}

@test "nothing stays behind in the firmware's variables" {
	python3 tests/boot/nvram.py "$vm/vars.fd" >"$BATS_TEST_TMPDIR/names"
	grep -q '^BootOrder' "$BATS_TEST_TMPDIR/names"
	refute grep -E '^(AnechoicResult|BootNext)' "$BATS_TEST_TMPDIR/names"
}

@test "an unknown key, a bad value, CRLF and a byte-order mark: said, kept in the run line, and the run goes on" {
	said "anechoic.cfg line 4: unknown key 'profil': did you mean 'profile'?"
	said "anechoic.cfg line 5: seed = 'many':"
	said "anechoic.cfg line 9: probes = 'nosuch': no such probe; there are clock,"
	said "probes = 'clock:nosuch': this profile has no variant of that name here"
	first_of firmware config_errors
	[ "$(first_of firmware config_errors | jq length)" = 3 ]
	[ "$(first_of firmware probes)" = '"code,clock,clock:nosuch"' ]
	[ "$(first_of firmware profile)" = '"smoke"' ]
}

# Exceptions, ring 0 and what cannot be ended: code.long.bats.
@test "the user's own code, a multiplication: its bytes stand in the rows of both rooms" {
	measured
	for room in firmware bare; do
		some $room '.probe == "code" and .params.unroll == 100 and .params.loop == 3 and
			.more.code == "48 0f af c0" and (.more | has("code_init") | not)'
	done
}
