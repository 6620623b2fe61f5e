#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `clock` finds on machines that state it.

load ../../tests/kam/stated_helper

@test "on a core one wide a plain chain of adds is 66/64 of the clock, and the clock is right" {
	edited tests/kam/mutations/quick.ini core.width=1
	measured "$ini" --every-row --probes clock
	ok clock:adds-plain" .*rows"
}
