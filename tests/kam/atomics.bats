#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Locked operations cost what the machine states: alone in both layers, of several cores in layer a.

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

@test "two cores with a last cache each: each row, each value, each share" {
	rows="$alone $together"
	values='lock_add_cycles cas_cycles atomics_shared_ns false_sharing_ratio'
	measured tests/kam/atomics/pair.ini
	right ''
	printf '%s\n' "$output" | grep -q '^atomics shares .*rows ok$'
}
