#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How room bare's result becomes a file: variables, reset, harvest, file, variables deleted. From other
# media than machines.bats has. With the power cut: power-cut.long.bats, and at every step of the
# variables and the file, tests/unit/store_test.c and harvest_test.c.

load helper

# decoy FILE: a disk whose BOOTX64.EFI says "decoy" on COM1 and gives up. A firmware tries the next then.
decoy() {
	local dir=$BATS_TEST_TMPDIR
	cat >"$dir/decoy.S" <<-'END'
		.text
		.globl entry
		entry:	lea text(%rip), %r9
			mov $0x3f8, %edx
		1:	movzbl (%r9), %eax
			inc %r9
			test %al, %al
			jz 2f
			out %al, %dx
			jmp 1b
		2:	mov $0x800000000000000e, %rax
			ret
		.section .loops, "ax"
			nop
		.section .rodata
		text:	.asciz "\n(decoy)\n"
		.section .sbat, "a"
			.ascii "sbat"
		.data
			.quad 0
		.section .reloc, "a"
			.long 0, 12
			.short 0, 0
	END
	gcc -c -o "$dir/decoy.o" "$dir/decoy.S"
	ld -pie --no-dynamic-linker -nostdlib -T linker/image.lds -o "$dir/decoy.elf" "$dir/decoy.o"
	objcopy -O binary -j .header -j .text -j .loops -j .rodata -j .sbat -j .data -j .reloc \
		"$dir/decoy.elf" "$dir/decoy.efi"
	tools/make-image "$1" "$dir/decoy.efi" build/anechoic.cfg
}

# card ROOM: the lines of the cards of that room on the console, without those of an empty screen.
card() {
	sed -n "/^The machine as measured in room $1 /,/^? = not resolved/p" "$vm/console" | grep .
}

@test "from a USB stick, with another disk first in the boot order; nothing stays behind" {
	decoy "$BATS_TEST_TMPDIR/decoy.img"
	export DISK=usb DECOY=$BATS_TEST_TMPDIR/decoy.img
	machine
	boot
	results
	complete firmware
	complete bare
	# The first start came by the boot order, past the decoy; the second by BootNext, straight.
	[ "$(grep -ac '(decoy)' "$vm/serial.log")" = 1 ]
	said "The last start's room bare"
	# The room prints its card, and the start that brings it home prints the same one again.
	card bare | sort | uniq -c >"$BATS_TEST_TMPDIR/cards"
	cat "$BATS_TEST_TMPDIR/cards"
	[ -s "$BATS_TEST_TMPDIR/cards" ]
	refute grep -qv '^ *2 ' "$BATS_TEST_TMPDIR/cards"

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
	printf '%s\n' 'profile = smoke' 'probes = clock' 'finish = poweroff' >"$vm/disk/anechoic.cfg"
	boot
	# Only the machine's own view: QEMU's vvfat before 9.1 garbles a file on the host that grows
	# after it was first written, as room firmware's does line by line.
	[ "$(grep -c 'read back, the same' "$vm/console")" = 2 ]
	said "The last start's room bare"
	said 'the variable is deleted'
}
