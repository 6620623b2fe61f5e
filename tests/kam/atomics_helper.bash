# SPDX-License-Identifier: MIT
# For tests of `atomics`: its rows, alone and together, and what is measured.

load rows_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
}

probe=atomics
asked=(--profile full --every-row --probes clock:core-clock,atomics)
alone='add lock-add cas cas-fails lock-xadd xchg store-mfence split'
together='shared shared-cas false-sharing own-lines false-sharing-add own-lines-add'
