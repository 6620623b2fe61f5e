#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of limits_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load limits_stated

@test "two machines, in both rooms" {
	edited $five
	in_both_rooms "$ini"
	edited $seven
	in_both_rooms "$ini"
}
