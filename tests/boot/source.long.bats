#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# source = S on the stick: that source's rows and no others, in both rooms, and its table is answered.

load helper

@test "source = L26: its rows in both rooms, and the table has no cell without a value or a reason" {
	machine 'source = L26' 'probes =' 'memory = 64m'
	MEM=1G boot
	said 'source L26: '
	both_complete
	for room in firmware bare; do
		[ "$(first_of $room source)" = '"L26"' ]
		build/anechoic show --source L26 "$vm"/results/*-$room.ndjson >"$vm/$room.txt"
		tail -n 1 "$vm/$room.txt"
		[[ $(tail -n 1 "$vm/$room.txt") =~ ^L26:\ ([0-9]+)\ of\ ([0-9]+)\ cells ]]
		[ "${BASH_REMATCH[1]}" -ge $((BASH_REMATCH[2] * 9 / 10)) ]
		jq -r 'select(.kind == "row") | .probe' "$vm"/results/*-$room.ndjson | sort -u >"$vm/$room.probes"
		refute grep -vxE 'branch|latency|mlp|window' "$vm/$room.probes"
	done
}
