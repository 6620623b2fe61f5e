#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# An installed Debian with our package: the boot menus' entries, and the ladder by kexec under systemd.

load helper
load linux_guest
load door_helper
load menu_helper

export QEMU_CPU=Skylake-Client

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	make -s deb >"$BATS_FILE_TMPDIR/log" 2>&1 || { cat "$BATS_FILE_TMPDIR/log"; return 1; }
}

# grub_cfg FOLDER: a configuration that goes on with the disk's own menu.
grub_cfg() {
	mkdir -p "$1/boot/grub"
	printf '%s\n' 'search --no-floppy --set=root --file /boot/anechoic.bz' 'configfile /boot/grub/own.cfg' \
		>"$1/boot/grub/grub.cfg"
}

# by_disk FIRMWARE QEMU ARGUMENT...: starts from the disks until the machine is off.
by_disk() {
	local args=(-machine q35 -m 1G -cpu max -nodefaults -display none -net none -vga std -serial stdio "${disks[@]}")
	[ "$1" = bios ] || args+=(-drive if=pflash,format=raw,unit=0,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd
		-drive "if=pflash,format=raw,unit=1,file=$vm/vars.fd")
	shift
	: >"$vm/qemu.log"
	qemu-system-x86_64 "${args[@]}" "$@" >"$vm/serial.log" 2>"$vm/qemu.log" </dev/null 3>&- &
	pid=$!
}

@test "entries of GRUB and systemd-boot from the package, and none when it is removed" {
	debian_disk <<-'END'
		mount -t vfat /dev/vdb1 /boot/efi
		dpkg -i /anechoic.deb
		sed "/30_anechoic/,/30_anechoic/s/menuentry 'anechoic.*' --/menuentry anechoic --/;
			s/set default=\"0\"/set default=anechoic/; s/set timeout=.*/set timeout=0/" \
			/boot/grub/grub.cfg >/boot/grub/own.cfg
		if [ -e /second ]; then
			anechoic fetch --out /fetched; echo "fetch: $?"
			dpkg -r anechoic
			echo "($(grep -c 'anechoic: measure' /boot/grub/grub.cfg) entries)"
		fi
		touch /second; umount /boot/efi; sync; poweroff
	END
	debian_start
	said 'Setting up anechoic'
	printf '%s\n' 'profile = smoke' 'probes = clock' 'prompt = 0' 'countdown = 0' 'finish = poweroff' >"$vm/keys"
	mcopy -o -i "$esp" "$vm/keys" ::/EFI/anechoic-menu/anechoic.cfg

	cp /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd"
	by_disk ovmf # systemd-boot
	ends
	said 'is now in \results\'
	grub_cfg "$vm/grub"
	grub-mkstandalone -O x86_64-efi -o "$vm/grub.efi" "boot/grub/grub.cfg=$vm/grub/boot/grub/grub.cfg"
	mcopy -o -i "$esp" "$vm/grub.efi" ::/EFI/BOOT/BOOTX64.EFI
	mdel -i "$esp" ::/loader/loader.conf
	by_disk ovmf
	ends
	said 'is now in \results\'
	[ "$(mdir -b -i "$esp" ::/EFI/anechoic-menu/results | grep -c ndjson)" = 4 ]
	grub-mkrescue -d /usr/lib/grub/i386-pc -o "$vm/grub.iso" "$vm/grub" 2>/dev/null
	by_disk bios -drive "if=none,id=cd,media=cdrom,file=$vm/grub.iso" -device ide-cd,drive=cd,bootindex=0
	await 'door linux-boot, loader GRUB'
	off
	debian_start
	said 'fetch: 0'
	said '(0 entries)'
	refute mdir -b -i "$esp" ::/EFI/anechoic-menu
}

@test "ladder --kexec under systemd: goes on by itself, and prints the comparison" {
	debian_disk <<-'END'
		[ ! -e /second ] || exit
		touch /second
		dpkg -i /anechoic.deb
		anechoic ladder --kexec --reboot --out /var/lib/anechoic/two profile=smoke probes=clock memory=64m
	END
	by_kernel bios "$(echo $debian/boot/vmlinuz-*)" -initrd "$(echo $debian/boot/initrd.img-*)" -smp 2 \
		-append 'console=ttyS0,115200 root=/dev/vda rw quiet panic=-1' "${disks[@]}"
	off_at 'results and this comparison: '
	said 'room hosted'
	said 'room bare, complete'
}
