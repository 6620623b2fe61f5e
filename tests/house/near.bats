#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make near: which tests are near to a source.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# near FILE: the names of the programs, in $names.
near() {
	names=$(tools/near --list "$1" | sed 's|.*/||')
	echo "$names"
}

has() {
	grep -qx -- "$1" <<<"$names"
}

@test "near to a file is its own test, those that include it, and those of what uses it" {
	near linux/boot/whole_file.c
	has command_fetch_test
	near linux/report/compare/effects.c
	has effects_test
	has compare_test
	! has esp_test
}

@test "near to a header is what is compiled with it, near to a test is itself" {
	near tests/unit/boot_world.h
	has send_test
	[ "$(near tests/unit/linux/esp_test.c)" = esp_test ]
}

@test "near to a loop is first the decoder, then the tests that call it" {
	run tools/near --list probes/loops/chase_loops.S
	[ "${lines[0]}" = "build/kam --loops build/BOOTX64.EFI" ]
	[ "${#lines[@]}" -ge 2 ]
}

@test "of what all programs use, the twenty that use the least beside it" {
	near lib/crc32.c
	[ "$(wc -l <<<"$names")" = 20 ]
	has crc32_test
}

@test "a file that no unit program has, or that is none, is told" {
	run tools/near --list efi/variables.c
	[ "$status" = 1 ]
	[[ $output == *"no unit program has efi/variables.c"* ]]
	run tools/near --list efi/none.c
	[ "$status" = 1 ]
	[[ $output == *"no such file"* ]]
}
