#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a processor reports while room bare measures: a corrected machine check and an NMI disturb a
# row, an uncorrected machine check ends the room, and what was measured before is safe.

load helper

monitor() { # COMMAND
	echo "$1" | socat -t 1 - "unix-connect:$vm/monitor" >>"$vm/monitor.log"
}

# Several, a tenth of a second apart: between two samples one disturbs none.
nmis() {
	for _ in 1 2 3 4 5; do
		echo nmi
		sleep 0.1
	done | socat -t 1 - "unix-connect:$vm/monitor" >>"$vm/monitor.log"
}

@test "machine checks, corrected and not, and an NMI in room bare" {
	machine 'rooms = bare' 'profile = default' 'probes = latency' 'finish = halt'
	start
	# Valid, with address; a memory controller's read error. Between two rows it would disturb none: several,
	# each in a bank of its own.
	for bank in 3 4 6 7 8 9; do
		await "[$((bank + 7))/"
		monitor "mce 0 $bank 0x8400000000000090 0 0x12345000 0"
		nmis
	done
	await 'row 20,'
	# Also uncorrected, enabled: in progress.
	monitor 'mce 0 5 0xb400000000000135 5 0x6789a000 0'
	await 'is now in'
	await 'halted'
	show
	off
	said '6 machine check(s) came while this room measured:'
	said '  bank 3: corrected, memory controller'
	said '    status 8400000000000090, address 12345000, misc 0'
	said 'EXCEPTION 18: machine check'
	said '  bank 5: uncorrected, cache'
	grep -q 'while this ran: \[.*latency' "$vm/console"
	results
	ended faulted bare
	first_of bare counts | grep -q '"machine_checks"'
	some bare '.kind == "row" and .counts.machine_checks > 0 and .disturbed > 0'
	some bare '.kind == "row" and .counts.nmis > 0 and .disturbed > 0'
	tail -n 1 "$vm"/results/*-bare.ndjson | jq -e '.machine_checks >= 1 and (.why | test("machine check"))'
}
