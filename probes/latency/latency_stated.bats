#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `latency` finds on machines that state it.

load ../../tests/kam/stated_helper

@test "chases cost what the machine says where lines come in pairs, and 1.3 times that is noticed" {
	measured tests/kam/mutations/quick-pairs.ini --every-row --probes \
		latency:pointer,latency:index,latency:index-padded,latency:pointer-padded
	row_edits latency:{pointer,index,index-padded}:{l2,l3,memory} latency:pointer-padded:{l3,memory}
}
