#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The known-answer machine's spikes are what noise finds: no more, no fewer, and as long.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
}

@test "the spikes of the machine are found: count exact, lengths within 1 %; jitter below is not taken for one" {
	build/kam --cpu tests/kam/spikes.ini --image build/BOOTX64.EFI --probes noise \
		--profile smoke --out "$BATS_TEST_TMPDIR/result"
	python3 tests/kam/check_noise.py tests/kam/spikes.ini "$BATS_TEST_TMPDIR/result"
}
