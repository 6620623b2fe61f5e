#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The image in the form of Linux's boot protocol, as a loader without UEFI starts it: build/anechoic.bz.

load helper
load linux_guest
load door_helper

@test "by a BIOS's loader: room bare, its result on the serial line, the card and its code on the display" {
	by_kernel bios build/anechoic.bz -smp 2 -append 'profile=smoke probes=clock,pages rooms=both BOOT_IMAGE=anechoic.bz'
	await 'finished and halted'
	screen | grep -q 'this screen is the result'
	off
	show
	said 'door linux-boot, loader QEMU'
	said 'room bare only: there is no firmware to call'
	said "load options: 'BOOT_IMAGE' ignored"
	said 'this screen is the result'
	serial_result bare
	[ "$(head -n 1 "$vm/serial-bare.ndjson" | jq -c '[.door, .loader, .cpus, .found.iommus_on]')" = \
		'["linux-boot","QEMU",2,0]' ]
	refute grep -q '"room":"firmware"' "$vm/serial.ndjson"
}
