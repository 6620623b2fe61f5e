#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make run: what it prints, of a QEMU that plays a recorded console. run.long.bats boots the image.

load helper

# A QEMU that prints a console of 800 lines, puts results on the disk, and ends with $ends.
setup_file() {
	one_machine
	mkdir -p "$shared_vm"
	cd "$shared_vm" || return
	{
		printf 'BdsDxe: starting Boot0001\r\n\r\nroom 1 of 2, firmware: about 10 s\r\n'
		printf '\rrow %u, about 9 s left of all: clock rdtsc                   ' {1..40}
		printf '\r\n'
		printf '  pointer-padded  %6u   2M   1.11   4.00\r\n' {1..800}
		printf '{"kind":"run","room":"bare","emulated":true}\n'
		printf 'ANECHOIC IMPORT --QR %04000u\r\nswitching off by the firmware\r\n' 0
	} >console
	printf '%s\n' '{"kind":"run"}' \
		'{"kind":"end","room":"bare","status":"complete","rows":286,"skips":171,"seconds":13.1}' >result
	cat >qemu <<'Q'
#!/bin/bash
cat "$here/console"
for room in $leaves; do
	mcopy -i "$RUN_DIR/disk.img@@1M" "$here/result" "::/results/20260101T000000Z-$room.ndjson"
done
exit "${ends:-0}"
Q
	chmod +x qemu
}

# boots [VARIABLE=VALUE...]: tools/run with that QEMU, in a new folder.
boots() {
	run --separate-stderr env here="$shared_vm" QEMU="$shared_vm/qemu" ACCEL=tcg \
		RUN_DIR="$BATS_TEST_TMPDIR/run" "$@" tools/run
	printf '%s\n' "$output" "$stderr"
}

@test "at most twelve lines: what was booted, the result and its place, what it means, and what is next" {
	boots leaves='firmware bare'
	[ "$status" = 0 ]
	[ "${#lines[@]}" -le 12 ]
	[ -z "$stderr" ]
	[ "$(awk '{ if (length > most) most = length } END { print most }' <<<"${output//$BATS_TEST_TMPDIR/build}")" -le 100 ]
	[[ $output == *build/anechoic.img*QEMU*tcg* ]]
	[[ $output == *"room bare: complete: 286 rows, 171 skipped"* ]]
	[[ $output == *"$BATS_TEST_TMPDIR/run/results.ndjson"* ]]
	[[ $output == *"times of an emulator mean nothing"* ]]
	[[ $output == *"anechoic show $BATS_TEST_TMPDIR/run/results.ndjson"* ]]
	cmp "$shared_vm/console" "$BATS_TEST_TMPDIR/run/serial.log"
}

@test "V=1: all of the console" {
	boots leaves='firmware bare' V=1
	[ "$status" = 0 ]
	[ "${#lines[@]}" -gt 800 ]
	[[ $output == *"ANECHOIC IMPORT"* ]]
}

@test "no result, or a machine that hung: the console's end, and where all of it is" {
	boots leaves=
	[ "$status" = 1 ]
	failure=$stderr
	[[ $failure == *"switching off by the firmware"* && ${#failure} -lt 2500 ]]
	[[ $failure == *"no result on the image"*"$BATS_TEST_TMPDIR/run/serial.log"* ]]
	[ "$(wc -l <<<"$failure")" -le 25 ]
	rm -r "$BATS_TEST_TMPDIR/run"
	boots leaves=firmware ends=124
	[ "$status" = 1 ]
	[[ $stderr == *"switching off by the firmware"*"did not end by itself"* ]]
	rm -r "$BATS_TEST_TMPDIR/run"
	boots leaves=firmware
	[ "$status" = 1 ]
	[[ $stderr == *"switching off by the firmware"*"no result of room bare"* ]]
}
