#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# finish = setup before a real firmware: the result is on the medium, and the machine is in the setup.

load helper

@test "the machine arrives in the firmware's setup, and both results are on the medium" {
	machine 'finish = setup'
	start
	await "shows the card once more and restarts into the firmware's setup"
	await 'is now in \results\'
	await 'Select Language' # OVMF's first page: nothing before it has these words
	await 'Boot Manager'
	[ "$(grep -ac '^anechoic ' "$vm/serial.log")" -ge 2 ]
	echo "screendump $vm/setup.ppm" | socat -t 5 - "unix-connect:$vm/monitor" >/dev/null
	off
	show
	refute said 'no setup'
	both_complete
}
