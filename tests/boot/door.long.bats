#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The other firmwares of a loader, and the circle: Linux, room bare, Linux, by `anechoic bare`.

load helper
load linux_guest
load door_helper
load watchdog_helper

# A processor whose time stamp counter Linux calls constant.
export QEMU_CPU=Skylake-Client

# by_loader FIRMWARE QEMU ARGUMENT...: room bare by a loader, its result by the serial line.
by_loader() {
	local firmware=$1
	shift
	by_kernel "$firmware" build/anechoic.bz -smp 2 -append 'profile=smoke probes=clock,pages' "$@"
	off_at 'finished and halted'
	serial_result bare
	[ "$(head -n 1 "$vm/serial-bare.ndjson" | jq -c '[.door, .cpus, .firmware.vendor]')" = \
		'["linux-boot",2,"none called"]' ]
}

@test "under OVMF, which calls it in 32 bits: both its tables and its display are found in memory" {
	by_loader ovmf
	head -n 1 "$vm/serial-bare.ndjson" | jq -e '.smbios.system | test("Q35")' # SMBIOS
	refute said 'no display of pixels'
}

@test "microvm: without PCI, without a display" {
	by_loader microvm
	said 'no display of pixels'
}

@test "a processor without pages of 1 GiB, and little memory" {
	QEMU_CPU=Skylake-Client,-pdpe1gb by_loader bios -m 256
}

# by_medium NAME QEMU ARGUMENT...: room bare by the loader of that name, which a BIOS starts from a medium.
by_medium() {
	local loader=$1
	shift
	switch_on -nodefaults -no-user-config -display none -m 1G -machine q35 -vga std -cpu "$QEMU_CPU" -smp 2 \
		-serial stdio "$@"
	off_at 'finished and halted'
	said "door linux-boot, loader $loader"
	serial_result bare
}

@test "ISOLINUX from a CD, and iPXE from a TFTP server, under a BIOS" {
	local keys='profile=smoke probes=clock prompt=0'
	mkdir -p "$vm/cd/isolinux" "$vm/tftp"
	cp build/anechoic.bz /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$vm/cd/isolinux"
	printf '%s\n' 'DEFAULT a' 'LABEL a' ' KERNEL anechoic.bz' " APPEND $keys" >"$vm/cd/isolinux/isolinux.cfg"
	xorriso -as mkisofs -quiet -o "$vm/cd.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat \
		-no-emul-boot -boot-load-size 4 -boot-info-table "$vm/cd"
	by_medium SYSLINUX -net none -cdrom "$vm/cd.iso"

	cp build/anechoic.bz "$vm/tftp"
	printf '%s\n' '#!ipxe' "kernel anechoic.bz $keys" boot >"$vm/tftp/a.ipxe"
	by_medium iPXE -netdev "user,id=n,tftp=$vm/tftp,bootfile=a.ipxe" -device e1000,netdev=n,bootindex=0
}

# came_home RUNS: each file that Linux fetched is the one that came over the serial line before.
came_home() {
	local k lines at=1
	build/anechoic import --serial "$vm/serial.log" --out "$vm/all.ndjson"
	for ((k = 1; k <= $1; k++)); do
		sed -n "/^(file $k)/,/^(end $k)/p" "$vm/serial.log" | tr -d '\r' | grep '^{' >"$vm/file-$k.ndjson"
		python3 tests/cli/check_result.py "$vm/file-$k.ndjson" complete
		lines=$(wc -l <"$vm/file-$k.ndjson")
		sed -n "$at,$((at + lines - 1))p" "$vm/all.ndjson" | diff - "$vm/file-$k.ndjson"
		at=$((at + lines))
	done
}

# circle_of FIRMWARE CPUS RUNS: Linux, so many runs, Linux; the files are as they were sent.
circle_of() {
	circle_guest <<-END
		if grep -q 616e6563 /sys/kernel/boot_params/setup_data/*/type; then
			anechoic fetch --out /out; echo "fetch: \$?"
			k=0
			for file in /out/*; do
				k=\$((k + 1)); echo; echo "(file \$k)"; cat \$file; echo "(end \$k)"
			done
			nproc; [ ! -e /sys/firmware/efi ] || ls -d /sys/firmware/efi/runtime-map
			dmesg | grep BIOS-e820 | cut -c 16- | md5sum
		else
			dmesg | grep BIOS-e820 | cut -c 16- | md5sum
			anechoic bare --yes --runs $3 profile=smoke probes=clock
		fi
	END
	circle "$1" -smp "$2"
	ends
	said 'after Linux'
	said 'fetch: 0'
	grep -qx "$2" "$vm/console" # all CPUs are Linux's again
	came_home "$3"
	head -n 1 "$vm/file-$3.ndjson" | jq -e ".loader == \"kexec\" and .cpus == $2"
}

@test "the circle under a BIOS: one CPU, two runs" {
	circle_of bios 1 2
	[ "$(grep -E '^[0-9a-f]{32}  -' "$vm/console" | sort -u | wc -l)" = 1 ] # the memory is described as it was
}

@test "the circle under a BIOS: four CPUs, one run" {
	circle_of bios 4 1
}

@test "the circle under OVMF: four CPUs, two runs; the runtime services are Linux's again" {
	circle_of ovmf 4 2
	said '/sys/firmware/efi/runtime-map'
}

@test "a hang in room bare: the watchdog brings Linux back, by a start as usual" {
	circle_guest <<-'END'
		anechoic bare --yes --image /hang.bz profile=smoke probes=clock watchdog=5
	END
	cp build/anechoic.bz "$root/hang.bz"
	printf '\xeb\xfe' | dd of="$root/hang.bz" bs=1 conv=notrunc status=none \
		seek=$((0x3000 + 0x$(nm build/door.elf | sed -n 's/ . bench_run$//p'))) # jumps to itself
	packed "$vm/initrd"
	circle bios "${tco[@]}"
	await 'watchdog: the chipset'
	off_at '(linux is up' 2
}

@test "refused: not root, no kernel, keys that end elsewhere, locked; nothing is loaded" {
	circle_guest <<-'END'
		try() { "$@"; echo "exit: $?"; }
		echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd
		try su nobody -c 'anechoic bare --yes'
		try anechoic bare --yes finish=halt
		try anechoic bare --yes profil=smoke
		try anechoic bare --yes --kernel /init
		try anechoic bare --yes --kernel /boot/none
		echo n | try anechoic bare
		try anechoic bare --dry-run
		cat /sys/kernel/kexec_loaded
		echo 1 >/proc/sys/kernel/kexec_load_disabled
		try anechoic bare --yes
		mount -t securityfs none /sys/kernel/security
		echo integrity >/sys/kernel/security/lockdown
		try anechoic bare --yes
	END
	circle bios
	ends
	for text in 'only root can load a kernel' 'finish=halt: not in a command' "unknown key 'profil'" \
		'/init is no Linux kernel' '/boot/none: No such file' 'dry run: nothing was changed' \
		'kexec_load_disabled is set' 'Linux is locked down'; do
		said "$text"
	done
	[ "$(grep -c '^exit: 2' "$vm/console")" = 7 ]
	[ "$(grep -c 'exit: 0' "$vm/console")" = 2 ]
	grep -qx 0 "$vm/console"
	refute said 'anechoic chamber'
}

@test "refused: too little memory" {
	circle_guest <<<'anechoic bare --yes; echo "exit: $?"'
	circle bios -m 200
	ends
	said 'too little memory: '
	said 'exit: 2'
}
