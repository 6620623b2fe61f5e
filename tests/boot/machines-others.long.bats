#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# More machines: both rooms are complete on each.

load helper

@test "Skylake-Server, 8 GiB with 1 GiB pages, a display that only Blt reaches" {
	export QEMU_CPU=Skylake-Server,-avx512f MEM=8G DISPLAY_CARD=virtio-gpu-pci
	machine
	both_rooms_complete
	[ "$(first_of bare pages)" = '[4096,2097152,1073741824]' ]
	[ "$(first_of bare page_bytes)" = 2097152 ]
	[ "$(first_of bare arena_bytes)" -ge $((1 << 30)) ]
}

# Its shutdown is a reset, and it keeps no variables: who ended by himself here would do so for ever.
@test "EPYC, ramfb, Debian's 2M OVMF" {
	export QEMU_CPU=EPYC DISPLAY_CARD=ramfb OVMF_CODE=/usr/share/OVMF/OVMF_CODE.fd
	machine
	both_rooms_complete
}

@test "five-level paging offered, four processors" {
	export QEMU_CPU=max,la57=on SMP=4
	machine
	both_rooms_complete
}

@test "qemu64 without 1 GiB pages, 256 MiB, no display, no serial line" {
	export QEMU_CPU=qemu64 MEM=256M DISPLAY_CARD=none SERIAL=none
	machine
	both_rooms_complete
	[ "$(first_of bare pages)" = '[4096,2097152]' ]
}

@test "a machine whose power-off brings it back stops after three times" {
	machine 'rooms = firmware' 'finish = reset'
	start
	halted
	said 'the last 3 runs ended so'
	[ "$(grep -c '^room firmware,' "$vm/console")" = 4 ]
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
