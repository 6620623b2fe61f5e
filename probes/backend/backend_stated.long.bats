#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of backend_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load backend_stated

# edges: of each kind rows before its edge and beyond it, the first and the last ones among them.
edges() {
	local name own n
	for name in $rows; do
		own=0
		case $name in any | integer | load) own=2 ;; load-waiting) own=1 ;; esac
		for n in 0 20 480 704; do
			echo "$name:entries=$((n + own))"
		done
	done
}

@test "all kinds: the window, or another structure, ends first: so many or more" {
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

@test "each structure ends before the window, or something else, in all rooms; edits are noticed" {
	in_both_rooms probes/backend/small-structures.ini
	in_both_rooms probes/backend/small-window.ini
	measured probes/backend/small-structures.ini
	right
	[ "$(found)" = '197,171,-,-,103,61,83,47,39,29,23' ]
	row_edits $(edges)
	value_edits 9 1.03 1
}

@test "a machine without the table has what its core says: stores, and no other number" {
	unstated tests/kam/mutations/quick.ini
	measured "$ini"
	[ "$(found | tr , '\n' | grep -vE '[+]|^-')" = 56 ]
	[ "$(found | tr , '\n' | grep -c +)" = 8 ]
}
