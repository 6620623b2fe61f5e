#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic import --qr: pictures of QR codes, good and bad.

load helper

setup() {
	program
	echo before >"$out"
}

made() { # NAME [ROOM [BRAND [OPEN]]]
	python3 tests/cli/qr_result.py "$dir/$1.ndjson" "${@:2}"
}

picture() { # NAME DOT WHAT...
	build/qr-picture "${@:2}" >"$dir/$1.pgm"
}

card() { # FILE
	"$anechoic" show --all "$1" 2>/dev/null | sed -n '/^The machine as measured/,/^? not resolved/p'
}

# refused TEXT FILE: that is what is said, and the file that was there stays.
refused() {
	exits 2 "$1" "$anechoic" import --qr "$2" --out "$out"
	[ "$(<"$out")" = before ]
}

@test "a picture of a card's code is a result with the same card" {
	made a
	picture a 3 "$dir/a.ndjson"
	"$anechoic" import --qr "$dir/a.pgm" --out "$out"
	python3 tests/cli/check_result.py "$out" shortened
	card "$dir/a.ndjson" >"$dir/before"
	grep -q 'EMULATED' "$dir/before"
	grep -q '^memory modules *16 x 64 GiB' "$dir/before"
	[ "$(wc -l <"$dir/before")" -gt 20 ]
	diff "$dir/before" <(card "$out")
	[ "$(jq -r 'select(.kind == "end").thinned | "\(.rows) \(.skips) \(.why)"' "$out")" = "1 1 to fit into a QR code" ]
	cp "$dir/a.pgm" "$dir/-a.pgm" # a name like an option
	(cd "$dir" && "$anechoic" import --qr -a.pgm | cmp - "$out")
	cp "$out" "$dir/photo.ndjson"
	"$anechoic" compare --json "$dir/a.ndjson" "$dir/photo.ndjson" >/dev/null
	"$anechoic" report "$dir/photo.ndjson" >"$dir/page.html"
}

@test "the text that a scanner shows is the same result, without any program for pictures" {
	made a
	picture a 2 "$dir/a.ndjson"
	zbarimg --quiet --raw --nodbus "$dir/a.pgm" >"$dir/text"
	[[ $(<"$dir/text") == "ANECHOIC IMPORT --QR 1:BARE/"* ]]
	"$anechoic" import --qr "$dir/a.pgm" --out "$dir/picture.ndjson"
	PATH=/nowhere "$anechoic" import --qr "$dir/text" --out "$out"
	cmp "$dir/picture.ndjson" "$out"
	echo before >"$out"
	sed 's/8480/8481/' "$dir/text" >"$dir/changed"
	refused "its check sum is wrong" "$dir/changed"
	head -c 500 "$dir/text" >"$dir/cut"
	refused "its check sum is wrong" "$dir/cut"
	sed 's/--QR 1/--QR 2/' "$dir/text" >"$dir/later"
	refused "it is of another version" "$dir/later"
}

@test "several cards, other people's codes, none, half a code and no picture: said, and nothing written" {
	made a
	made b firmware
	picture two 2 "$dir/a.ndjson" 2 "$dir/b.ndjson"
	refused "it shows several cards" "$dir/two.pgm"
	picture other 3 "text:HTTPS://EXAMPLE.ORG"
	refused "its QR code is not one of anechoic" "$dir/other.pgm"
	picture none 3
	refused "no QR code is found in it" "$dir/none.pgm"
	head -c 100000 "$dir/two.pgm" >"$dir/half.pgm"
	refused "" "$dir/half.pgm"
	refused "zbarimg cannot read it as a picture" README.md
	refused "No such file or directory" "$dir/not-there.png"
	# the same card twice, or beside a code of somebody else, is one card
	picture twice 2 "$dir/a.ndjson" 2 "$dir/a.ndjson" 4 "text:HTTPS://EXAMPLE.ORG"
	"$anechoic" import --qr "$dir/twice.pgm" --out "$out"
	python3 tests/cli/check_result.py "$out" shortened
}

@test "without zbarimg it says what to install" {
	made a
	picture a 3 "$dir/a.ndjson"
	PATH=/nowhere run "$anechoic" import --qr "$dir/a.pgm" --out "$out"
	[ "$status" -eq 2 ]
	[[ $output == *"apt-get install zbar-tools"* ]]
	exits 2 "give one of" "$anechoic" import --qr "$dir/a.pgm" --serial x
	exits 2 "give one of" "$anechoic" import
	exits 2 "--stored goes with --serial" "$anechoic" import --qr x --stored y
}
