#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The rest of hostile-storing.bats.

load hostile_helper

@test "store-nearly-full: what has room comes home whole" {
	hostile store-nearly-full=9500
	home_by="reset by ACPI's register" comes_home
	never_says 'left out to fit'
}

@test "setvar-refuses: stays on the card" {
	hostile setvar-refuses --load finish=poweroff
	ends halted
	says 'the result is NOT stored: out of resources' 'this screen is the result'
}

@test "setvar-lies: what does not read back is not stored" {
	hostile setvar-lies --load finish=poweroff
	ends halted
	says 'the result is NOT stored: what it stores does not read back' 'this screen is the result'
}

@test "query-unsupported: little is taken, and comes home" {
	hostile query-unsupported
	home_by="reset by ACPI's register" comes_home
}

@test "store = off: the configured end, for the user wants no more" {
	hostile none --load 'store=off finish=poweroff'
	says "result will be on the screen and the serial port only" 'store = off'
	never_says 'this screen is the result'
}

@test "store-never-reclaims: room bare's result comes home" {
	hostile store-never-reclaims
	home_by="reset by ACPI's register" comes_home
}
