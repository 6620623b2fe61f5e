#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Configuration files that are none.

load helper

# The defaults take minutes: it is enough that the run starts with them.
starts_with_defaults() {
	start
	await 'results go to'
	await 'anechoic.cfg'
	show
}

@test "a file larger than 64 KiB is refused as a whole" {
	machine
	yes '# 1 MiB of nothing' | head -c 1048576 >"$vm/anechoic.cfg"
	put "$vm/anechoic.cfg" /anechoic.cfg
	starts_with_defaults
	said '\anechoic.cfg is larger than 64 KiB: the defaults are used'
}

@test "binary junk in the file is refused line by line" {
	machine
	head -c 4396 "$efi" | tail -c 300 >"$vm/anechoic.cfg" # code
	printf '\nprofile = smoke\nrooms = firmware\nprobes = clock\nfinish = poweroff\nprompt = 0\ncountdown = 0\n' >>"$vm/anechoic.cfg"
	put "$vm/anechoic.cfg" /anechoic.cfg
	boot
	results
	complete firmware
	grep -E 'anechoic.cfg line [0-9]+: not text' "$vm/console"
}
