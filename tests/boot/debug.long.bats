#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make debug: gdb stops in room bare, with symbols and sources; what it debugs is the code that is shipped.

load helper

@test "gdb stops where room bare begins to measure, and knows the source's line" {
	local version
	version=$(sed 's/.*"\(.*\)"/\1/' build/version.h)
	make -s -j2 B=build/debug OPT='-O2 -g' VERSION="$version" build/debug/BOOTX64.EFI
	cmp build/debug/BOOTX64.EFI "$efi"
	PROBES=shuffle run tools/debug -batch -ex 'info symbol $pc' -ex 'info line' -ex kill
	echo "$output"
	[[ $output == *'run_here in section .text'* ]]
	[[ $output == *'"kernel/run_rooms.c"'* ]]
	grep -qa 'room 1 of 1, bare' build/debug/run/serial.log
}
