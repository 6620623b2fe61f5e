#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of frontend_stated.bats: other machines, both rooms of layer b, machines that state nothing.

load frontend_stated

@test "eight ops a line, of 64 bytes: long code leaves the op cache just before L1I" {
	values=${values/fetch_l1i_bytes_per_cycle/}
	measured probes/frontend/op-lines-of-8.ini
	right
	[ "$(found)" = '2304,5.92,20480,-,10.99,1' ]
	in_both_rooms probes/frontend/op-lines-of-8.ini
}

@test "six ops a line in both rooms; edits are noticed" {
	in_both_rooms probes/frontend/op-lines-of-6.ini
	measured probes/frontend/op-lines-of-6.ini
	row_edits {dense,six,short,long}:bytes={1024,2048,131072,524288} jump-inside jump-end
	value_edits 6 1.1
}

# More sizes: some end just before L1I does, where other code between two calls takes a line too many.
@test "profile full: more sizes, up to 512 KiB, in both layers" {
	measured probes/frontend/op-lines-of-6.ini --profile full
	right
	[ "$(found)" = '1344,3.97,24576,16.01,7,1.68' ]
	measured probes/frontend/op-lines-of-6.ini --profile full --layer b
	right
	values=${values/fetch_l1i_bytes_per_cycle/}
	measured probes/frontend/op-lines-of-8.ini --profile full
	right
	[ "$(found)" = '2304,5.92,20480,-,10.99,1' ]
	measured probes/frontend/op-lines-of-8.ini --profile full --layer b
	right
}

@test "no op cache: L1I and the rates alone; without the table nothing is made up" {
	values='l1i_bytes fetch_l1i_bytes_per_cycle fetch_l2_bytes_per_cycle jcc_erratum'
	measured probes/frontend/no-op-cache.ini
	right
	[ "$(found)" = '-,-,49152,16.01,7,1' ]
	unstated tests/kam/mutations/quick.ini
	measured "$ini"
	[ "$(found)" = '-,-,-,-,-,1' ]
}
