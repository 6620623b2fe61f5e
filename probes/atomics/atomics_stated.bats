#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `atomics` finds on machines that state it: each row, each value, and that others are noticed.

load atomics_stated

@test "two cores with a last cache each: each row, each value, each share" {
	measured probes/atomics/pair.ini
	right
	ok 'atomics shares .*rows'
}
