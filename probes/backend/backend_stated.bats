#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What `backend` finds on machines that state it: each row, each value, and that others are noticed.

load backend_stated

@test "three kinds: the window, a structure of their own, and that of another ends first" {
	measured probes/backend/small-window.ini --probes backend:any,backend:store,backend:store-waiting
	rows='any store store-waiting' values='stores_in_flight stores_waiting'
	right
	[ "$(found)" = '-,-,-,-,-,43,-,-,-,-,43+ the queue of stores ends first' ]
}
