#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make near: which tests are near to a source.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# near FILE: the names of the programs.
near() {
	tools/near --list "$1" | sed 's|.*/||'
}

@test "near to a file is its own test, those that include it, and those of what uses it" {
	near probes/limits/limits.c | grep -qx limits_loops_test
	near linux/boot/esp.c | grep -qx esp_test
	near linux/boot/whole_file.c | grep -qx command_fetch_test
	near linux/report/compare/effects.c >"$BATS_TEST_TMPDIR/effects"
	cat "$BATS_TEST_TMPDIR/effects"
	grep -qx effects_test "$BATS_TEST_TMPDIR/effects"
	grep -qx compare_test "$BATS_TEST_TMPDIR/effects"
	! grep -qx esp_test "$BATS_TEST_TMPDIR/effects"
}

@test "near to a test is itself, near to a header what is compiled with it" {
	[ "$(near tests/unit/linux/esp_test.c)" = esp_test ]
	near tests/unit/boot_world.h | grep -qx send_test
}

@test "near to a loop is first the decoder" {
	run tools/near --list probes/loops/chase_loops.S
	[ "${lines[0]}" = "build/kam --loops build/BOOTX64.EFI" ]
	near probes/loops/chase_loops.S | grep -qx chase_loops_test
}

@test "of what all programs use, the twenty that use the least beside it" {
	[ "$(near lib/crc32.c | wc -l)" = 20 ]
	near lib/crc32.c | grep -qx crc32_test
}

@test "a file that no unit program has, or that is none, is told" {
	run tools/near --list efi/variables.c
	[ "$status" = 1 ]
	[[ $output == *"no unit program has efi/variables.c"* ]]
	run tools/near --list efi/none.c
	[ "$status" = 1 ]
	[[ $output == *"no such file"* ]]
}
