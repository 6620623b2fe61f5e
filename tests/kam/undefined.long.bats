#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The product's own code leaves nothing undefined while it measures a machine, and finds the same.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

@test "kam with the sanitizer for undefined behaviour in the product measures the same" {
	make -s -j2 build/kam build/kam-checked
	for kam in kam kam-checked; do
		build/$kam --cpu tests/kam/cpus/small.ini --image build/BOOTX64.EFI --out "$BATS_TEST_TMPDIR/$kam"
	done
	cmp "$BATS_TEST_TMPDIR/kam" "$BATS_TEST_TMPDIR/kam-checked"
}
