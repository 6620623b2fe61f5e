# SPDX-License-Identifier: MIT
# Machines without our UEFI image: started by a loader of Linux kernels. After helper.bash.

# by_kernel FIRMWARE QEMU ARGUMENT...: switches on a machine whose loader is QEMU's -kernel: bios, ovmf, or
# microvm, which has no display and no PCI.
by_kernel() {
	local firmware=$1 args=(-nodefaults -no-user-config -display none -net none -no-reboot -m 512
		-cpu "${QEMU_CPU:-max}" -kernel "${kernel:-build/anechoic.bz}" -serial stdio)
	shift
	mkdir -p "$vm"
	case $firmware in
	bios) args+=(-machine q35 -vga std) ;;
	ovmf) args+=(-machine q35 -vga std
		-drive if=pflash,format=raw,unit=0,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd) ;;
	microvm) args+=(-machine microvm) ;;
	esac
	rm -f "$vm/monitor"
	: >"$vm/serial.log"
	: >"$vm/qemu.log"
	"${QEMU:-qemu-system-x86_64}" "${args[@]}" -monitor "unix:$vm/monitor,server,nowait" "$@" \
		>"$vm/serial.log" 2>"$vm/qemu.log" </dev/null 3>&- &
	pid=$!
}
