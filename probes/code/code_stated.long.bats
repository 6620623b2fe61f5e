#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of code_stated.bats: another machine, the image in both rooms.

load code_stated

@test "another machine, the image in both rooms" {
	rooms "$machine_2"
}
