# SPDX-License-Identifier: MIT
# A machine with an installed Debian: systemd, its own kernel and initrd, our package. After door_helper.bash.

debian=build/linux-guest/debian

# debian_root: the file system's contents, made once: minutes.
debian_root() {
	[ ! -e $debian/done ] || return 0
	rm -rf $debian
	mkdir -p ${debian%/*}
	debootstrap --variant=minbase --include=systemd,systemd-sysv,udev,kmod,kexec-tools,$(
	)linux-image-cloud-amd64,initramfs-tools,grub2-common,grub-common,$(
	)libjansson4,libblkid1,libefivar1,libefiboot1 "$(. /etc/os-release; echo "$VERSION_CODENAME")" \
		$debian >build/linux-guest/debootstrap.log 2>&1 || return
	ln -sf /dev/null $debian/etc/systemd/system/serial-getty@ttyS0.service
	cat >$debian/etc/systemd/system/todo.service <<-'END'
		[Service]
		ExecStart=/bin/sh /todo.sh
		StandardOutput=tty
		StandardError=tty
		TTYPath=/dev/ttyS0
	END
	ln -s ../todo.service $debian/etc/systemd/system/multi-user.target.wants/
	mkdir $debian/etc/systemd/system/anechoic-ladder.service.d
	printf '[Service]\nStandardOutput=tty\nTTYPath=/dev/ttyS0\n' \
		>$debian/etc/systemd/system/anechoic-ladder.service.d/tty.conf
	echo '/dev/vda / ext4 defaults 0 1' >$debian/etc/fstab
	mkdir -p $debian/boot/grub $debian/boot/efi
	touch $debian/boot/grub/grub.cfg $debian/done
}

# debian_disk: a new disk with it and the package, $vm/root.img, and an EFI system partition with systemd-boot,
# $vm/esp.img, at $esp. Standard input is what it does at each start.
debian_disk() {
	debian_root || skip "no Debian can be installed here: build/linux-guest/debootstrap.log"
	cat >$debian/todo.sh
	cp build/deb/anechoic_*_amd64.deb $debian/anechoic.deb
	mkdir -p "$vm"
	truncate -s 1G "$vm/root.img"
	mkfs.ext4 -q -F -d $debian "$vm/root.img"
	cp --sparse=always build/anechoic.img "$vm/esp.img"
	esp=$vm/esp.img@@1M
	mdel -i "$esp" ::/anechoic.cfg
	mdeltree -i "$esp" ::/results
	mmd -i "$esp" ::/loader ::/loader/entries
	mcopy -o -i "$esp" /usr/lib/systemd/boot/efi/systemd-bootx64.efi ::/EFI/BOOT/BOOTX64.EFI
	printf 'default anechoic.conf\ntimeout 1\n' >"$vm/loader.conf"
	mcopy -i "$esp" "$vm/loader.conf" ::/loader/
	disks=(-drive "if=none,id=root,format=raw,file=$vm/root.img" -device virtio-blk-pci,drive=root,bootindex=2
		-drive "if=none,id=esp,format=raw,file=$vm/esp.img" -device virtio-blk-pci,drive=esp,bootindex=1)
}

# debian_start QEMU ARGUMENT...: starts it, and waits until it has switched itself off.
debian_start() {
	by_kernel bios "$(echo $debian/boot/vmlinuz-*)" -initrd "$(echo $debian/boot/initrd.img-*)" -smp 2 \
		-append 'console=ttyS0,115200 root=/dev/vda rw quiet panic=-1' "${disks[@]}" "$@"
	ends
}
