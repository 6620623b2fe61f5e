# SPDX-License-Identifier: MIT
# Machines without our UEFI image: started by a loader of Linux kernels. After helper.bash and linux_guest.bash.

# switch_on QEMU ARGUMENT...: a machine whose console is its serial line.
switch_on() {
	rm -f "$vm/monitor"
	: >"$vm/serial.log"
	: >"$vm/qemu.log"
	"${QEMU:-qemu-system-x86_64}" -monitor "unix:$vm/monitor,server,nowait" "$@" \
		>"$vm/serial.log" 2>"$vm/qemu.log" </dev/null 3>&- &
	pid=$!
}

# by_kernel FIRMWARE FILE QEMU ARGUMENT...: switches on a machine whose loader is QEMU's -kernel: bios, ovmf, or
# microvm, which has no display and no PCI.
by_kernel() {
	local firmware=$1 args=(-nodefaults -no-user-config -display none -net none -m 1G
		-cpu "${QEMU_CPU:-max}" -kernel "$2" -serial stdio)
	shift 2
	mkdir -p "$vm"
	case $firmware in
	bios) args+=(-machine q35 -vga std) ;;
	ovmf)
		[ -f "$vm/vars.fd" ] || cp /usr/share/OVMF/OVMF_VARS_4M.fd "$vm/vars.fd"
		args+=(-machine q35 -vga std
			-drive if=pflash,format=raw,unit=0,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd
			-drive "if=pflash,format=raw,unit=1,file=$vm/vars.fd") ;;
	microvm) args+=(-machine microvm) ;;
	esac
	switch_on "${args[@]}" "$@"
}

# packed FILE: the initial file system in $root, to a file.
packed() {
	(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$1"
}

# circle_guest: a Linux with busybox and our static program, which does what standard input says at each start.
# Its kernel is $linux. Its initial file system, $vm/initrd, has the kernel and an initrd for the way back.
circle_guest() {
	local release
	root=$vm/root
	kernel || skip "no Debian kernel can be downloaded here"
	linux=$(echo $guest/kernel/boot/vmlinuz-*)
	release=${linux##*/vmlinuz-}
	make -s build/anechoic-static
	rm -rf "$root"
	mkdir -p "$root"/{proc,sys,dev,tmp,run,bin,lib/anechoic,var/lib,boot,out,etc}
	cp build/anechoic-static "$root/bin/anechoic"
	cp build/anechoic.bz "$root/lib/anechoic/"
	cp /bin/busybox "$root/bin/"
	init_begins >"$root/init"
	cat >>"$root/init" <<-'END'
		cd /
		echo "(linux is up after $(cut -d' ' -f1 /proc/uptime) s)"
		. /todo.sh
		echo "(linux is done)"
		poweroff -f
	END
	chmod +x "$root/init"
	cat >"$root/todo.sh"
	packed "$vm/inner"
	cp "$linux" "$root/boot/"
	cp "$vm/inner" "$root/boot/initrd.img-$release"
	packed "$vm/initrd"
}

# circle FIRMWARE QEMU ARGUMENT...: switches that machine on.
circle() {
	local firmware=$1
	shift
	by_kernel "$firmware" "$linux" -initrd "$vm/initrd" -append 'console=ttyS0,115200 quiet panic=-1' "$@"
}
