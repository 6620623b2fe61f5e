#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What issues in a cycle is what the machine states, in both layers and both rooms; limits.long.bats
# has the five wide machine in both rooms.

load limits_helper

@test "two machines, the image's loops: each row, each value" {
	issued '--layer a' '' tests/kam/mutations/quick.ini $seven
	issued '--layer a' '' tests/kam/cpus/small.ini $five
}

@test "the seven wide one, the image in both rooms" {
	issued '--layer b --rooms both' '@firmware @bare' tests/kam/mutations/quick.ini $seven
}

@test "a machine without [limits]: what its core says, also where no branch is predicted" {
	issued '--layer a' '' tests/kam/mutations/quick.ini
	build/kam --cpu tests/kam/cpus/no-predictor.ini --image build/BOOTX64.EFI --probes limits \
		--out "$result" >"$said" 2>&1
	run build/kam --check tests/kam/cpus/no-predictor.ini "$result"
	[ "$status" = 0 ]
	[ "$(printf '%s\n' "$output" | grep -cE '^limits:.* rows ok$')" = 13 ] # all but branch-not-taken
}

@test "a machine with a fourth level, which no run knows that has no curve of latency" {
	build/kam --cpu tests/kam/cpus/lion-cove.ini --image build/BOOTX64.EFI --probes limits \
		--out "$result" >"$said" 2>&1
	run build/kam --check tests/kam/cpus/lion-cove.ini "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
}

@test "1.3 times as much is noticed" {
	build/kam --cpu $ini --image build/BOOTX64.EFI --probes limits --out "$result"
	tests/kam/row_edits.py $ini "$result" "$BATS_TEST_TMPDIR/edits" $(printf 'limits:%s ' $rows)
}
