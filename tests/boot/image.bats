#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# BOOTX64.EFI and anechoic.img as files: what a firmware's loader and a file system check will look at.

load helper

# le BYTES OFFSET FILE: a little-endian number
le() {
	od -An -v -tu"$1" -j"$2" -N"$1" "$3" | tr -d ' '
}

# Prints name, memory size, address, file size, file offset and flags of each section.
sections() {
	local n at i
	n=$(le 2 $((0x46)) "$1")
	at=$((0x40 + 24 + $(le 2 $((0x54)) "$1")))
	for ((i = 0; i < n; i++, at += 40)); do
		echo "$(dd if="$1" bs=1 skip=$at count=8 status=none | tr -d '\0')" \
			"$(le 4 $((at + 8)) "$1") $(le 4 $((at + 12)) "$1") $(le 4 $((at + 16)) "$1")" \
			"$(le 4 $((at + 20)) "$1") $(le 4 $((at + 36)) "$1")"
	done
}

@test "the header is a PE32+ EFI application, NX-compatible, that can be moved" {
	run objdump -p "$efi"
	[[ $output == *"file format pei-x86-64"* ]]
	[[ $output == *"(EFI application)"* ]]
	[[ $output == *"NX_COMPAT"* ]]
	[[ $output == *"DYNAMIC_BASE"* ]]
	[[ $output == *"Thu Jan  1 00:00:00 1970"* ]] # no time stamp
	[[ $output != *"relocations stripped"* ]]
	[ "$(le 4 $((0x40 + 24 + 32)) "$efi")" = 4096 ] # section alignment
	[ "$(le 4 $((0x40 + 24 + 36)) "$efi")" = 512 ]  # file alignment
}

@test "no section is writable and executable; all are aligned and within the image" {
	local size_of_image end=4096 begin=512 name memory address file offset flags
	size_of_image=$(le 4 $((0x40 + 24 + 56)) "$efi")
	sections "$efi" >"$BATS_TEST_TMPDIR/sections"
	[ "$(cut -d' ' -f1 "$BATS_TEST_TMPDIR/sections" | tr '\n' ' ')" = ".text .loops .rodata .sbat .data .reloc " ]
	while read -r name memory address file offset flags; do
		echo "$name: memory $memory at $address, file $file at $offset, flags $(printf %x "$flags")"
		[ $((flags & 0x20000000)) = 0 ] || [ $((flags & 0x80000000)) = 0 ]
		[ $((address % 4096)) = 0 ]
		[ "$offset" = $begin ] # side by side
		[ $((file % 512)) = 0 ]
		begin=$((offset + file))
		[ "$address" -ge $end ] # ascending, no overlap
		end=$((address + (memory > file ? memory : file)))
		[ $end -le "$size_of_image" ]
	done <"$BATS_TEST_TMPDIR/sections"
	[ $begin = "$(stat -c %s "$efi")" ]
	[ "$(le 4 $((0x40 + 24 + 60)) "$efi")" = 512 ] # headers
	[ "$(awk '$1 == ".loops" { printf "%x", $6 }' "$BATS_TEST_TMPDIR/sections")" = 60000020 ]
	[ "$(awk '$1 == ".text" { printf "%x", $6 }' "$BATS_TEST_TMPDIR/sections")" = 60000020 ]
	[ "$(awk '$1 == ".rodata" { printf "%x", $6 }' "$BATS_TEST_TMPDIR/sections")" = 40000040 ]
	[ "$(awk '$1 == ".data" { printf "%x", $6 }' "$BATS_TEST_TMPDIR/sections")" = c0000040 ]
}

@test ".reloc lists every relocation of the linked program, and they point into .data" {
	local linked listed address memory offset
	linked=$(readelf -rW build/image.elf | awk '/R_X86_64_/ { print $1 }' | sed 's/^0*//' | sort)
	listed=$(objdump -p "$efi" | sed -n 's/.*\[\([0-9a-f]*\)\] DIR64$/\1/p' | sort)
	[ -n "$listed" ]
	[ "$linked" = "$listed" ]
	read -r memory address offset < <(sections "$efi" | awk '$1 == ".data" { print $2, $3, $5 }')
	for place in $listed; do
		[ $((16#$place)) -ge "$address" ]
		[ $((16#$place)) -lt $((address + memory)) ]
	done
	# Each place holds an address within the image, relative to base 0.
	for place in $(echo "$listed" | head -20); do
		[ "$(le 8 $((16#$place - address + offset)) "$efi")" -lt "$(le 4 $((0x40 + 24 + 56)) "$efi")" ]
	done
}

@test ".sbat has its real size and is CSV without padding" {
	local memory offset
	read -r memory offset < <(sections "$efi" | awk '$1 == ".sbat" { print $2, $5 }')
	dd if="$efi" bs=1 skip="$offset" count="$memory" status=none >"$BATS_TEST_TMPDIR/sbat"
	refute grep -q -P '\x00' "$BATS_TEST_TMPDIR/sbat"
	[ "$(head -1 "$BATS_TEST_TMPDIR/sbat" | cut -d, -f1,2)" = sbat,1 ]
	awk -F, 'NF != 6 { exit 1 }' "$BATS_TEST_TMPDIR/sbat"
}

# What makes a figure with an operating system comparable with one without.
@test ".loops is the same bytes in the image, in the Linux program and in loops.o" {
	local memory offset
	read -r memory offset < <(sections "$efi" | awk '$1 == ".loops" { print $2, $5 }')
	dd if="$efi" bs=64 skip=$((offset / 64)) count=$((memory / 64)) status=none >"$BATS_TEST_TMPDIR/image"
	objcopy -O binary -j .loops build/loops.o "$BATS_TEST_TMPDIR/object"
	objcopy -O binary -j .loops build/anechoic "$BATS_TEST_TMPDIR/linux"
	[ -s "$BATS_TEST_TMPDIR/object" ]
	cmp "$BATS_TEST_TMPDIR/image" "$BATS_TEST_TMPDIR/object"
	cmp "$BATS_TEST_TMPDIR/linux" "$BATS_TEST_TMPDIR/object"
}

@test "every loop of the list lies in that section" {
	place() { nm build/anechoic | awk -v name="$1" '$3 == name { print $1 }'; }
	local start end at
	start=$((16#$(place loops_start))) end=$((16#$(place loops_end)))
	objcopy -O binary -j .loops build/anechoic "$BATS_TEST_TMPDIR/linux"
	[ $((end - start)) -eq "$(stat -c %s "$BATS_TEST_TMPDIR/linux")" ]
	for loop in $(sed -n 's/^LOOP(\([a-z0-9_]*\),.*/loop_\1/p' probes/*/*loops.inc); do
		at=$((16#$(place "$loop")))
		[ "$at" -ge "$start" ] && [ "$at" -lt "$end" ] || { echo "$loop is outside"; return 1; }
	done
}

@test "the linker leaves no global offset table, no PLT and no text relocation" {
	readelf -SW build/image.elf >"$BATS_TEST_TMPDIR/sections"
	refute grep -E ' \.(got|got\.plt|plt|text\.rel) +' "$BATS_TEST_TMPDIR/sections"
	refute grep -q TEXTREL <(readelf -d build/image.elf)
	[ -z "$(nm -u build/image.elf)" ]
}

# tests/boot/image_bytes holds the size that was last looked at: whoever makes the image much larger
# says so by changing it.
@test "BOOTX64.EFI is at most 672 KiB, and has not grown by more than 5 %" {
	local bytes known
	bytes=$(stat -c %s "$efi")
	known=$(cat tests/boot/image_bytes)
	echo "$bytes bytes; tests/boot/image_bytes says $known"
	[ "$bytes" -le $((672 * 1024)) ]
	[ $((bytes * 100)) -le $((known * 105)) ]
}

@test "a relocation of another type and an undefined symbol break the build" {
	cd "$BATS_TEST_TMPDIR"
	printf '.data\n.long somewhere\n.globl somewhere\nsomewhere:\n' | gcc -c -x assembler -o odd.o -
	run ! ld -pie --no-dynamic-linker -nostdlib --no-undefined -T "$top/linker/image.lds" -o odd odd.o
	printf '0000000000001000  0000000000000006 R_X86_64_GLOB_DAT 0\n' >list
	run awk -f "$top/linker/reloc.awk" list
	[ "$status" != 0 ]
	[[ $output == *"cannot be in the image"* ]]
	printf '.text\n.globl entry\nentry: call nowhere\n' | gcc -c -x assembler -o open.o -
	run ! ld -pie --no-dynamic-linker -nostdlib --no-undefined -T "$top/linker/image.lds" -o open open.o
}

# dist.long.bats builds it twice, in two directories.
@test "no path of the directory that it was built in stands in the image" {
	refute grep -aqF "$PWD" "$efi" build/image.elf
}

@test "the image is a clean GPT disk with a clean FAT32 EFI system partition" {
	run sgdisk -v build/anechoic.img
	[[ $output == *"No problems found"* ]]
	run sgdisk -i 1 build/anechoic.img
	[[ $output == *"C12A7328-F81F-11D2-BA4B-00A0C93EC93B"* ]]
	local first last
	first=$(echo "$output" | awk '/^First sector/ { print $3 }')
	last=$(echo "$output" | awk '/^Last sector/ { print $3 }')
	dd if=build/anechoic.img of="$BATS_TEST_TMPDIR/esp" bs=512 skip="$first" count=$((last - first + 1)) \
		status=none conv=sparse
	run fsck.vfat -n "$BATS_TEST_TMPDIR/esp"
	echo "$output"
	[ "$status" = 0 ]
	[ "$(dd if="$BATS_TEST_TMPDIR/esp" bs=1 skip=82 count=5 status=none)" = FAT32 ]
	MTOOLS_SKIP_CHECK=1 mdir -b -i "$BATS_TEST_TMPDIR/esp" -/ :: >"$BATS_TEST_TMPDIR/list"
	grep -qx '::/EFI/BOOT/BOOTX64.EFI' "$BATS_TEST_TMPDIR/list"
	grep -qx '::/anechoic.cfg' "$BATS_TEST_TMPDIR/list"
	grep -qx '::/results/' "$BATS_TEST_TMPDIR/list"
}

@test "it can be signed for Secure Boot, without gaps, and the signature holds" {
	cd "$BATS_TEST_TMPDIR"
	openssl req -new -x509 -newkey rsa:2048 -nodes -subj /CN=test/ -days 1 -keyout key -out cert 2>/dev/null
	run sbsign --key key --cert cert --output signed "$top/$efi"
	echo "$output"
	[ "$status" = 0 ]
	[[ $output != *warning* ]]
	sbverify --cert cert signed
}

# A firmware with indirect branch tracking (CET) calls nothing else, nor do we while it is on.
@test "what is called by address in the firmware's state begins with endbr64" {
	for name in entry procedure ap_procedure console_line add_bytes compare; do
		objdump -d --no-show-raw-insn --disassemble=$name build/image.elf >"$BATS_TEST_TMPDIR/code"
		grep -A1 "<$name>:" "$BATS_TEST_TMPDIR/code" | tail -n 1 | grep -q endbr64 || {
			echo "$name does not"
			bad=1
		}
	done
	[ -z "${bad:-}" ]
}
