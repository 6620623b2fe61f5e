# SPDX-License-Identifier: MIT
# A machine with an installed Linux, for tests of `anechoic boot`: Debian's kernel, an initial file system of
# busybox and our program, started by systemd-boot from the EFI system partition. After helper.bash.

guest=build/linux-guest

# The begin of a guest's /init: busybox's commands, its file systems, the serial line.
init_begins() {
	cat <<-'END'
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin HOME=/
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		mount -t tmpfs tmp /tmp
		exec >/dev/ttyS0 2>&1 </dev/null
	END
}

# kernel: Debian's, downloaded and unpacked once, not installed.
kernel() {
	local package
	[ ! -e $guest/kernel/done ] || return 0
	mkdir -p $guest/kernel
	package=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p')
	(cd $guest && apt-get -q download "$package" && dpkg-deb -x linux-image-*.deb kernel) &&
		touch $guest/kernel/done
}

# of_program FILE: copies a program and the libraries that it needs.
of_program() {
	local library
	install -D "$1" "$root/bin/${1##*/}"
	for library in $(ldd "$1" | grep -o '/[^ ]*'); do
		install -D "$(readlink -f "$library")" "$root$library"
	done
}

# initial_files: the initial file system, to $guest/initrd. Its /init runs \todo.sh of the partition.
initial_files() {
	local root=$guest/root module
	rm -rf "$root"
	mkdir -p "$root"/{proc,sys,dev,tmp,run,boot/efi,var/lib/anechoic,lib/anechoic}
	of_program build/anechoic
	cp build/BOOTX64.EFI "$root/lib/anechoic/"
	cp /bin/busybox "$root/bin/"
	for module in nls_cp437 nls_ascii nls_utf8 fat vfat efivarfs; do
		find $guest/kernel/lib/modules -name $module.ko -exec cp {} "$root/lib/" \;
	done
	init_begins >"$root/init"
	cat >>"$root/init" <<-'END'
		for module in nls_cp437 nls_ascii nls_utf8 fat vfat efivarfs; do
			insmod /lib/$module.ko
		done
		mount -t efivarfs efivarfs /sys/firmware/efi/efivars
		mount -t vfat /dev/nvme0n1p1 /boot/efi
		[ ! -b /dev/nvme1n1 ] || mount -t vfat /dev/nvme1n1 /var/lib/anechoic
		cp /boot/efi/todo.sh /tmp
		echo "(linux is up)"
		sh /tmp/todo.sh
		echo "(linux is done: $?)"
		sync
		poweroff -f
	END
	chmod +x "$root/init"
	(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >$guest/initrd
}

# installed: a new machine whose disk starts that Linux.
installed() {
	kernel || skip "no Debian kernel can be downloaded here"
	initial_files
	export DISK=nvme
	mkdir -p "$vm"
	cp --sparse=always build/anechoic.img "$vm/disk.img"
	mdel -i "$vm/disk.img@@1M" ::/anechoic.cfg
	mdeltree -i "$vm/disk.img@@1M" ::/results
	mmd -i "$vm/disk.img@@1M" ::/EFI/linux ::/loader ::/loader/entries ::/out
	put $guest/kernel/boot/vmlinuz-* /EFI/linux/linux.efi
	put $guest/initrd /EFI/linux/initrd
	put /usr/lib/systemd/boot/efi/systemd-bootx64.efi /EFI/BOOT/BOOTX64.EFI
	printf 'timeout 0\n' >"$vm/loader.conf"
	printf 'title linux\nlinux /EFI/linux/linux.efi\ninitrd /EFI/linux/initrd\noptions %s\n' \
		'console=ttyS0,115200 quiet panic=-1' >"$vm/linux.conf"
	put "$vm/loader.conf" /loader/loader.conf
	put "$vm/linux.conf" /loader/entries/linux.conf
}

# with_home: a second disk, for /var/lib/anechoic; its arguments of QEMU are in ${home[@]}.
with_home() {
	truncate -s 64M "$vm/home.img"
	mformat -i "$vm/home.img" -F ::
	home=(-drive "if=none,id=home,format=raw,file=$vm/home.img" -device nvme,drive=home,serial=home)
}

# Little memory: what the image does not give back, Linux lacks.
little=(-m 1G)

# todo: standard input is what Linux does at its next starts, before it switches the machine off.
todo() {
	cat >"$vm/todo.sh"
	put "$vm/todo.sh" /todo.sh
}

# out: copies \out\ of the disk to $vm/out.
out() {
	rm -rf "$vm/out"
	mkdir -p "$vm/out"
	mcopy -s -n -i "$vm/disk.img@@1M" '::/out/*' "$vm/out/"
}

# variables: the names and data of all variables in the machine's memory, but EDK2's own: a count of starts,
# and the whole paths of the partitions that boot entries named (BmBoot.c, "HDDP").
variables() {
	python3 tests/boot/nvram.py "$vm/vars.fd" | grep -vE '^(MTC|HDDP) ' || true
}
