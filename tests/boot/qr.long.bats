#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A photograph of the last screen is a result: screen dumps, read by anechoic import --qr.

load helper

bare_and_halt() { # XRES YRES
	machine 'rooms = bare' 'store = off' 'finish = halt' 'probes = clock,latency,noise'
	export DISPLAY_CARD=VGA,edid=on,xres=$1,yres=$2
	start
	await 'finished and halted'
	build/anechoic import --serial "$vm/serial.log" --out "$vm/serial.ndjson"
	grep -q '"name":"core_clock_hz"' "$vm/serial.ndjson"
}

# shown: the dump of this moment has a code that can be read.
shown() {
	rm -f "$vm/screen.ppm"
	echo "screendump $vm/screen.ppm" | socat -t 5 - "unix-connect:$vm/monitor" >/dev/null
	build/anechoic import --qr "$vm/screen.ppm" --out "$vm/photo.ndjson" 2>"$vm/qr.log"
}

# The card, without the sizes that a latency of memory holds for, which a code does not have.
card() { # FILE
	build/anechoic show "$1" 2>/dev/null |
		sed -n '/^The machine as measured/,/^$/{s/^\( walks\|memory\) \(at\|to\) [^ ]*/\1/;s/  */ /g;p}'
}

the_same_card() {
	card "$vm/serial.ndjson" >"$vm/card"
	grep -q '^core ' "$vm/card"
	diff "$vm/card" <(card "$vm/photo.ndjson")
	python3 tests/cli/check_result.py "$vm/photo.ndjson" shortened
	[ "$(jq -r 'select(.kind == "end").thinned.rows' "$vm/photo.ndjson")" = "$(grep -c '"kind":"row"' "$vm/serial.ndjson")" ]
}

@test "1280x800: the code stands beside the card" {
	bare_and_halt 1280 800
	grep -qa 'QR code: the card' "$vm/serial.log"
	shown || { cat "$vm/qr.log"; return 1; }
	the_same_card
}

@test "640x480: where there is no room for it, it and the card take turns" {
	bare_and_halt 640 480
	grep -qa 'in turn, 20 s each' "$vm/serial.log"
	for ((tenths = hang_seconds * 10; tenths > 0; tenths--)); do
		shown && break
		kill -0 "$pid"
		sleep 0.1
	done
	the_same_card
}
