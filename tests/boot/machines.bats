#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Other firmware. OVMF: stick.bats; other processors and displays: machines-others.long.bats.

load helper

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

@test "Secure Boot: the signed image boots, and takes no code from its configuration" {
	export OVMF_CODE=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd OVMF_VARS=/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd
	machine 'rooms = firmware' 'code = 90' 'probes = clock,code'
	openssl rsa -in /usr/share/ovmf/PkKek-1-snakeoil.key -passin pass:snakeoil -out "$vm/key" 2>/dev/null
	sbsign --key "$vm/key" --cert /usr/share/ovmf/PkKek-1-snakeoil.pem --output "$vm/signed" "$efi"
	put "$vm/signed" /EFI/BOOT/BOOTX64.EFI
	boot -machine smm=on -global driver=cfi.pflash01,property=secure,value=on
	results
	complete firmware
	[ "$(first_of firmware 'config_errors[0]')" = '"code, code_init, smi_ask: refused, because Secure Boot is on"' ]
	refute some firmware '.kind == "row" and .probe == "code"'
}
