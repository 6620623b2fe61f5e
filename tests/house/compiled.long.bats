#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The freestanding code under another optimisation than the image has.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# By default probes/ is compiled at -O2, and the rest at -Os: neither may depend on what the other one
# warns of or leaves undefined.
@test "the freestanding code compiles at -Os without a warning, and links" {
	make -s -j2 B="$BATS_TEST_TMPDIR/os" OPT=-Os "$BATS_TEST_TMPDIR/os/image-unmoved.elf"
}
