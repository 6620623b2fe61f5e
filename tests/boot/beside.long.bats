#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Memory beside the arena on its own node: pages of 2 MiB of which the arena has too few.

load helper

@test "tlb visits more pages of 2 MiB than an arena of 4 GiB has" {
	machine 'rooms = firmware' 'probes = tlb:cost' 'profile = default'
	boot -object memory-backend-ram,id=all,size=12G,reserve=off -machine memory-backend=all -m 12G
	results
	complete firmware
	[ "$(first_of firmware arena_bytes)" = 4294967296 ]
	some firmware '.kind == "row" and .params.stride_bytes == 2097152 and .params.pages == 2048'
	refute some firmware '.kind == "skip" and .params.stride_bytes == 2097152 and
		(.reason | startswith("needs") or startswith("memory of")) and .params.pages < 2500'
}
