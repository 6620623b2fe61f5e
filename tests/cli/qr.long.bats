#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# How much a photograph may be disturbed (docs/format.md, "In a QR code"): for modules of 2, 3 and 4 pixels.

load helper

setup() {
	program
	python3 tests/cli/qr_result.py "$dir/a.ndjson"
	for dot in 2 3 4; do
		build/qr-picture $dot "$dir/a.ndjson" >"$dir/$dot.pgm"
	done
	build/anechoic import --qr "$dir/4.pgm" --out "$dir/as-it-is.ndjson"
}

# read_all DISTURBANCE...: all three sizes are read, and are the same result.
read_all() {
	for dot in 2 3 4; do
		/usr/bin/python3 tests/cli/photograph.py "$dir/$dot.pgm" "$dir/photo.jpg" "$@"
		build/anechoic import --qr "$dir/photo.jpg" --out "$dir/out.ndjson" ||
			{ echo "not read: modules of $dot pixels, $*"; return 1; }
		cmp "$dir/as-it-is.ndjson" "$dir/out.ndjson"
	done
}

@test "turned by 5 and by 10 degrees" {
	read_all scale=2 rotate=5
	read_all scale=2 rotate=-10
}

@test "from the side, the far edge 5 % shorter" {
	read_all scale=2 lean=0.05
}

@test "not in focus" {
	read_all scale=2 blur=1.5
}

@test "grainy, and darker on one side" {
	read_all scale=2 noise=20
	read_all scale=2 light=0.6
}

@test "all of it together" {
	for scale in 2 2.2 3 3.5 4 5; do
		read_all scale=$scale rotate=3 lean=0.05 blur=1.5 noise=8 light=0.3 jpeg=80
	done
}
