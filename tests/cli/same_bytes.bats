#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The measuring kernels in the UEFI image and in the Linux program are the same bytes: what makes a
# figure with an operating system comparable with one without.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	objcopy -O binary -j .loops build/anechoic "$BATS_TEST_TMPDIR/hosted"
	objcopy -O binary -j .loops build/BOOTX64.EFI "$BATS_TEST_TMPDIR/image"
}

@test "the .loops sections of anechoic and BOOTX64.EFI are identical" {
	[ -s "$BATS_TEST_TMPDIR/hosted" ]
	cmp "$BATS_TEST_TMPDIR/hosted" "$BATS_TEST_TMPDIR/image"
}

@test "every loop of the list lies in that section" {
	bytes=$(stat -c %s "$BATS_TEST_TMPDIR/hosted")
	place() { nm build/anechoic | awk -v name="$1" '$3 == name { print $1 }'; }
	start=$((16#$(place loops_start))) end=$((16#$(place loops_end)))
	[ $((end - start)) -eq "$bytes" ] || { echo "expected $bytes bytes, got $((end - start))"; return 1; }
	for loop in $(sed -n 's/^LOOP(\([a-z0-9_]*\)).*/loop_\1/p' probes/loops/loops.inc); do
		at=$((16#$(place "$loop")))
		[ "$at" -ge "$start" ] && [ "$at" -lt "$end" ] || { echo "$loop is outside"; return 1; }
	done
}
