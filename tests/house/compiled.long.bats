#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The freestanding code under another optimisation than the image has.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# What is not timed is compiled with passes switched off from which warnings come.
@test "the freestanding code compiles at -Os without a warning, and links" {
	make -s -j2 B="$BATS_TEST_TMPDIR/os" SMALL=-Os "$BATS_TEST_TMPDIR/os/image-unmoved.elf"
}
