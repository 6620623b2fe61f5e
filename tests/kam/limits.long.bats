#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What issues in a cycle on the five wide machine, in both rooms.

load limits_helper

@test "the image in both rooms: each row, each value" {
	issued '--layer b --rooms both' '@firmware @bare' tests/kam/cpus/small.ini $five
}
