#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Machines of many kinds: both rooms are complete on each. The first is the plain one.

load helper

@test "the plain machine: both rooms, in the file and on the console, at 80 columns, without a hang" {
	machine
	both_rooms_complete
	serial_result bare
	said EMULATED
	[ "$(first_of firmware emulated)" = true ]
	[ "$(first_of bare emulated)" = true ]
	[ "$(first_of bare tsc_hz)" != null ]
	[ "$(first_of bare smbios.memory_modules)" = '"1 x 2 GiB at ? MT/s"' ]
	[ "$(first_of bare smbios.memory_limit_gbs)" = null ] # QEMU states no rate
	narrow
	grep -q "watchdog: the chipset's TCO timer" "$vm/console"
	said "(QEMU's only with -global ICH9-LPC.noreboot=false)" # no register tells whether it is
	refute grep 'has reset the machine' "$vm/console"
}

@test "U-Boot: room firmware's file, room bare on the serial line, and no loop" {
	export FIRMWARE=uboot DISK=ahci
	machine
	start
	halted
	results
	complete firmware
	absent bare
	serial_result bare
	said "the firmware sets no variables after ExitBootServices"
	said "no power-off: this screen is the result"
	[ "$(grep -ac '^room firmware,' "$vm/console")" = 1 ]
}

@test "Secure Boot: the signed image boots" {
	export OVMF_CODE=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd OVMF_VARS=/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd
	machine 'rooms = firmware'
	openssl rsa -in /usr/share/ovmf/PkKek-1-snakeoil.key -passin pass:snakeoil -out "$vm/key" 2>/dev/null
	sbsign --key "$vm/key" --cert /usr/share/ovmf/PkKek-1-snakeoil.pem --output "$vm/signed" "$efi"
	put "$vm/signed" /EFI/BOOT/BOOTX64.EFI
	boot -machine smm=on -global driver=cfi.pflash01,property=secure,value=on
	results
	complete firmware
}
