#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The page that a start leaves on its stick, in a headless Chromium; and a page of all three rooms.

load ../boot/helper

check() { # CHECK PAGE RESULT...
	tests/page/check_browser.py "$@"
}

@test "the stick's page: the same pictures as the report of the stick's results, no error" {
	command -v chromium-headless-shell chromium >/dev/null || skip "no chromium-headless-shell"
	machine 'probes ='
	boot
	results
	page=("$vm"/results/*.html) firmware=("$vm"/results/*-firmware.ndjson) bare=("$vm"/results/*-bare.ndjson)
	[ "${page[*]}" = "${firmware[0]%-firmware.ndjson}.html" ]
	[ "$(grep -c '^a page shows them' "$vm/console")" = 2 ]
	build/anechoic report "${firmware[0]}" "${bare[0]}" --out "$vm/report.html"
	tests/page/same_pictures.py "${page[0]}" "$vm/report.html"
	tests/cli/check_page.py "${page[0]}" "${firmware[0]}" "${bare[0]}"
	grep -q '<b>EMULATED</b>' "${page[0]}"
	check quiet,narrow,contrast "${page[0]}"
	check hover "${page[0]}" "${firmware[0]}" "${bare[0]}"

	build/anechoic run --profile smoke --memory 256m --out "$vm/hosted.ndjson" >/dev/null
	build/anechoic report "$vm/hosted.ndjson" "${firmware[0]}" "${bare[0]}" --out "$vm/rooms.html"
	tests/cli/check_page.py "$vm/rooms.html" "$vm/hosted.ndjson" "${firmware[0]}" "${bare[0]}"
	[ "$(grep -o '<b class="key k[012]">[ABC]</b> <b>[a-z]*</b>' "$vm/rooms.html" | sed 's/.*<b>//' | tr '\n' ' ')" = \
		"hosted</b> firmware</b> bare</b> " ]
	check quiet,narrow,contrast "$vm/rooms.html"
}

@test "a stick that is full after the result: no page, which is said, and the result is whole" {
	machine 'probes = clock' 'rooms = firmware'
	boot
	results
	result=$(cat "$vm"/results/*.ndjson | wc -c) page=$(cat "$vm"/results/*.html | wc -c)
	# Another start of the same, with room for its result and half a page.
	free=$(mdir -i "$vm/disk.img@@1M" ::/ | tr -d ' ' | sed -n 's/bytesfree$//p')
	head -c $((free - result - page / 2)) /dev/zero >"$BATS_TEST_TMPDIR/filler"
	put "$BATS_TEST_TMPDIR/filler" /filler
	boot
	results
	complete firmware 2
	said 'no page \results\'
	said 'volume full'
	[ "$(ls "$vm"/results/*.html | wc -l)" = 1 ]
}
