#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# runs = N: so many whole runs by themselves, with a reset between two; and the ends that a person, a power cut and a
# power-off that is none put to them. At each step of the journal and the files: tests/unit/kernel/series_test.c.

load helper

# all_runs ROOM COUNT: that many results of the room, named for `compare` and numbered in their run lines.
all_runs() {
	local k
	for k in $(seq "$2"); do
		python3 tests/cli/check_result.py "$vm"/results/*-"$1-$k".ndjson complete
		[ "$(head -n 1 "$vm"/results/*-"$1-$k".ndjson | jq -c '[.run, .runs]')" = "[$k,$2]" ]
	done
	[ "$(ls "$vm"/results/*-"$1"-*.ndjson | wc -l)" = "$2" ]
}

# starts COUNT: of the image, on the console.
starts() {
	[ "$(grep -c '^BdsDxe: starting' "$vm/console")" = "$1" ]
}

@test "three runs, the power cut in room bare of the second: it alone is measured again; compare takes them as sets" {
	machine 'runs = 3'
	start
	off_at 'run 2 of 3; about 30 s left of all'
	said 'run 1 of 3; about 60 s left of all'
	said 'and begins with run 2 of 3'
	starts 2
	boot
	[ "$(grep -c '^room 1 of 2' "$vm/console")" = 1 ] # of run 3: that of run 2 was there
	said 'run 2 of 3; about 30 s left of all'
	grep -aq 'row [0-9]*, run 3 of 3, at most [0-9]* s left to measure: clock' "$vm/serial.log"
	said 'run 3 of 3 is over'
	starts 3 # bare of run 2; its harvest and run 3; its harvest
	[ "$(grep -c 'switching off' "$vm/console")" = 1 ]
	narrow
	results
	all_runs firmware 3
	all_runs bare 3
	[ "$(ls "$vm"/results/*Z-?.html | wc -l)" = 3 ]
	cd "$vm/results"
	"$top"/build/anechoic compare ./*-bare-?.ndjson ./*-firmware-?.ndjson | tee "$vm/compare"
	cd "$top"
	[ "$(tr '\n' ' ' <"$vm/compare" | grep -o ', 3 runs,' | wc -l)" = 2 ] # lines are wrapped
	# What was finished is finished.
	configure 'runs = 3' 'rooms = firmware'
	boot
	said 'run 1 of 3; about 30 s left of all'
	starts 3
	results
	[ "$(ls "$vm"/results/*-firmware-*.ndjson | wc -l)" = 6 ]
}

@test "Esc at the prompt of run 2 ends it; the next start begins anew" {
	machine 'runs = 2' 'rooms = firmware' 'prompt = 60'
	start
	await 'keys: p another profile, r other rooms, Enter start now, Esc leave'
	press ret
	await 'run 2 of 2; about 10 s left of all'
	await 'keys: Enter start now, Esc ends the series'
	press esc
	await 'the series of 2 runs ends, in run 2: Esc'
	off
	start
	await 'run 1 of 2; about 20 s left of all'
	off
	results
	complete firmware-1
	absent firmware-2
}

@test "finish = poweroff by hand again and again: the fourth start asks; Enter, and it is off again" {
	machine 'rooms = firmware'
	for _ in 1 2 3; do
		boot
		refute said 'If a person does that'
	done
	configure 'rooms = firmware' 'prompt = 1'
	start
	await 'If a person does that: Enter. Else this run ends by halting.'
	press ret
	ends
	said 'switching off by the firmware'
	boot
	refute said 'If a person does that'
}

@test "a power-off that acts as a reset: without an answer it halts after the fourth run" {
	machine 'rooms = firmware'
	for _ in 1 2 3; do
		boot
	done
	start
	halted
	said 'the last 3 runs ended so'
}
