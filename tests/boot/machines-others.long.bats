#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# More machines: both rooms are complete on each.

load helper

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
