#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `backend` finds on machines that state it: each row, each value, and that others are noticed.

load backend_stated

@test "the window, or another structure, ends first: so many or more" {
	measured probes/backend/small-window.ini
	right
	[ "$(found)" = "$(paste -sd, <<-END
		203+ the window ends first
		149
		-
		-
		203+ the window ends first
		43
		201+ the window ends first
		67
		147+ the vector registers end first
		61
		43+ the queue of stores ends first
	END
	)" ]
}
