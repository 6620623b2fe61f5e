#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A configuration without a file. Mistakes in a file: stick.bats.

load helper

# stored_result: what Linux finds in the machine's variables, to $vm/stored.ndjson.
stored_result() {
	python3 tests/boot/nvram.py "$vm/vars.fd" "$vm/efivars"
	build/anechoic import --efivars="$vm/efivars" --out "$vm/stored.ndjson"
}

@test "no file and no file system: load options alone, junk words ignored with a note; bare's result stays" {
	machine
	DISK=none start -kernel "$efi" \
		-append 'anechoic.efi profile=smoke probes=clock root=/dev/sdb3 finish=poweroff prompt=0 countdown=0 quiet'
	halted # on the card: no start can make a file of it
	serial_result firmware
	serial_result bare
	stored_result
	build/anechoic import --serial "$vm/serial.log" --stored "$vm/stored.ndjson" --out "$vm/whole.ndjson"
	cmp "$vm/whole.ndjson" "$vm/serial-bare.ndjson"
	said 'Linux on this machine reads it: anechoic import --efivars'
	refute said 'NOT stored'
	# The text of the card's code is the last thing on the line.
	build/anechoic import --qr "$vm/serial.log" --out "$vm/card.ndjson"
	[ "$(jq -rs '.[0].room' "$vm/card.ndjson")" = bare ]
	[ "$(jq -c 'select(.kind == "summary") | .name' "$vm/card.ndjson" | grep -c .)" -ge 2 ]
	said "load options: 'root' ignored: no such key"
	said "load options: 'quiet' ignored: no such key"
	said 'EMULATED'
}
