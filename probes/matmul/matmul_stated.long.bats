#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `matmul` finds on machines that state it: n = 32 and 512, for which this machine has memory.

load ../../tests/kam/stated_helper

@test "both orders of a matrix multiplication, in L1 and beyond the last cache; edits are noticed" {
	measured tests/kam/cpus/small.ini --every-row --profile default --probes matmul
	ok matmul:ijk matmul:ikj 'matmul:ijk columns' matmul:orders
	row_edits matmul:ijk:n=512
}
