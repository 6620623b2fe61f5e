#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `cores` finds on machines that state it.

load ../../tests/kam/stated_helper

@test "several cores: a hop is as stated, twice the same; where one CPU's share is missing, it is noticed" {
	for name in two-socket two-domains; do
		asked=(--probes cores:bounce)
		judged tests/kam/cpus/$name.ini
		none_wrong cores
		ok cores:bounce
		cp "$result" "$BATS_TEST_TMPDIR/one"
		judged tests/kam/cpus/$name.ini
		cmp "$result" "$BATS_TEST_TMPDIR/one"
		asked=(--probes "$(printf 'cores:%s,' read write copy mix-{3,2}-1)cores:mix-1-1")
		judged tests/kam/cpus/$name.ini
		row_edits cores:{read,write,copy} cores:mix-{3,2,1}-1
	done
}
