#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The loops of the image execute what their names promise: decoded, not run.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
}

@test "every loop executes what its name promises, and no hot jump touches a multiple of 32 bytes" {
	run build/kam --loops build/BOOTX64.EFI
	printf '%s\n' "$output" | grep -v ' ok: '
	[ "$status" = 0 ]
}

# Replaces these bytes, hexadecimal, wherever they stand in .loops; the loop must be named.
expect() { # loop, old, new, meaning
	tests/kam/patch-image "$BATS_TEST_TMPDIR/image" "$2" "$3"
	build/kam --loops "$BATS_TEST_TMPDIR/image" >"$BATS_TEST_TMPDIR/out" && code=0 || code=$?
	[ "$code" = 1 ] && grep -q "^$1 .*WRONG" "$BATS_TEST_TMPDIR/out" ||
		{ echo "expected $1 to be wrong: $4; got:"; grep WRONG "$BATS_TEST_TMPDIR/out"; return 1; }
}

@test "instructions that are dropped or exchanged are noticed, each in its loop" {
	expect loop_flush 0fae38 0f1f00 "clflush dropped"
	expect loop_flush 0faef0 0f1f00 "mfence dropped"
	expect loop_write_nt_128 0faef80faee8 0f1f000faee8 "sfence dropped"
	expect loop_write_nt_128 66410fe7412066 66410f7f412066 "an ordinary store"
	expect loop_lanes_prefetch_3 0f1808 0f1f00 "prefetch dropped"
	expect loop_add_chain 4d01c84d01c8 49ffc04d01c8 "an add of a constant"
	expect loop_chase 488b3f488b3f 488b3f0f1f00 "half of the loads"
	expect loop_walk_cr3 410f22d8 0f1f4000 "CR3 not written"
	expect loop_walk_invlpg 410f0138 0f1f4000 "no page flushed"
	expect loop_backend 41ffd1 0f1f00 "no generated code called"
	expect loop_window 41ffd1 0f1f00 "no generated code called"
	expect loop_limits_chains ff1424 0f1f00 "no generated code called"
	expect loop_limits_turns 41ffd6 0f1f00 "no generated code called"
	expect loop_atomic_lock_add f04c010ef04c010e 904c010ef04c010e "a lock dropped"
	expect loop_atomic_retry f0480fb10e75 90480fb10e75 "likewise"
	expect loop_div_lfence 48f7f631d248f7f6 48f7f631d20f1f00 "a division dropped"
}
