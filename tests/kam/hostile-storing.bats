#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Room bare's result where the firmware stores it badly or not at all: nothing is promised that does
# not come home, and what is not stored stays on the screen.

load hostile_helper

# stays: the machine halts on the card, in this start (1), and never says that a result came home.
stays() {
	grep -q "^start ${1:-1}: halted" "$said.lines" || came "expected start ${1:-1} to halt" || return
	says '^core +[0-9.]+ GHz' 'this screen is the result: photograph it' &&
		never_says 'is now in .results.'
}

@test "store-forgets: the second start says so and stays on the card" {
	hostile store-forgets --load finish=reset
	ends "reset by ACPI's register" halted
	says 'variables do not outlive a reset here'
	stays 2
}

@test "query-lies: on refusal half of it is stored, and what is missing is said" {
	hostile query-lies
	ends "reset by ACPI's register" halted
	says 'the firmware does not store these [0-9]+ bytes: out of resources' \
		'left out to fit into EFI variables: the samples of each row' '^shortened: 0 rows' \
		'and [1-9][0-9]* of [1-9][0-9]* rows'
}

@test "store-nearly-full: nothing is stored into the last bytes, and the machine stays on" {
	hostile store-nearly-full=6000 --load finish=poweroff
	ends halted
	says 'its variable store is nearly full'
	stays
}

@test "file-cut: what was written a second before the cut is in the file" {
	hostile file-cut --rooms firmware
	ends 'power cut' halted
	[ "$(jq -r .kind "$result" | uniq -c | head -1 | xargs)" = '2 run' ] ||
		came "expected the line of the run that was cut, and that of the next"
}

@test "file-fails: the results are on the screen and the serial line" {
	hostile file-fails=1 --rooms both
	ends halted
	measured
	says 'is NOT complete' '^core +[0-9.]+ GHz'
}
