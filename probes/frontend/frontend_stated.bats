#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `frontend` finds on machines that state it: each row, each value, and that others are noticed.

load frontend_stated

@test "six ops a line, of 32 bytes: eight instructions there do not fill them, six do" {
	measured probes/frontend/op-lines-of-6.ini
	right
	[ "$(found)" = '1344,3.97,24576,16,7,1.68' ]
}
