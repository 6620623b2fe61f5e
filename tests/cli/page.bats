#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic report and plot without a browser; tests/page/ opens their pages in one.

load helper

# A result of every probe there is, from the rooms' own rows and made ones.
made() { # name room
	python3 tests/cli/page_result.py "$dir/$1.ndjson" "${@:2}"
}

@test "report: each probe has its picture, each row its numbers, nothing is asked for" {
	made a
	made b bare
	"$anechoic" report "$dir/a.ndjson" "$dir/b.ndjson" --out "$dir/page.html"
	tests/cli/check_page.py "$dir/page.html" "$dir/a.ndjson" "$dir/b.ndjson"
	[[ $(<"$dir/page.html") == *"no data for this test"* ]] # the reason of a skip
	[[ $(<"$dir/page.html") == *"no system (B) costs nothing beyond 1.1 %, against Linux (A)"* ]]
	[ "$("$anechoic" run --list | awk '!NF { exit } NR > 1 { print $1 }' | sort)" = \
		"$(grep -o 'id="probe-[a-z]*' "$dir/page.html" | sed 's/.*-//' | sort)" ]
}

@test "report: what an emulator ran says so once in large letters, and in a note in each picture" {
	made q hosted QEMU
	made a
	"$anechoic" report "$dir/q.ndjson" >"$dir/page.html"
	pictures=$(grep -o '<svg class="pic"' "$dir/page.html" | wc -l)
	[ "$pictures" -gt 20 ]
	[ "$(grep -o '>room hosted; EMULATED</text>' "$dir/page.html" | wc -l)" = "$pictures" ]
	[[ $(<"$dir/page.html") == *"<b>EMULATED</b>"* ]]
	[ "$(grep -o 'class="warn"' "$dir/page.html" | wc -l)" = 1 ]
	"$anechoic" plot --probe latency "$dir/a.ndjson" "$dir/q.ndjson" >"$dir/x.svg"
	[[ $(<"$dir/x.svg") == *">room hosted; EMULATED B</text>"* ]]
	[ "$(grep -o '<text class="warn"[^>]*>EMULATED</text>' "$dir/x.svg" | wc -l)" = 1 ]
	! grep -q EMULATED <("$anechoic" plot --probe latency "$dir/a.ndjson")
}

@test "report: what is hostile in a result stays text" {
	python3 tests/cli/page_result.py "$dir/bad <b>&.ndjson" hosted \
		"</script><script>document.title=1</script><img src=x onerror=alert(1)>"
	"$anechoic" report "$dir/bad <b>&.ndjson" --out "$dir/page.html"
	tests/cli/check_page.py "$dir/page.html" "$dir/bad <b>&.ndjson"
	[[ $(<"$dir/page.html") == *"&lt;/script&gt;&lt;script&gt;document.title=1"* ]]
	"$anechoic" plot --probe latency "$dir/bad <b>&.ndjson" >"$dir/x.svg"
	xmllint --noout "$dir/x.svg"
	! grep -q '<img\|<script' "$dir/x.svg"
}

@test "plot: every picture is a well-formed file of the same drawing" {
	made a
	"$anechoic" report "$dir/a.ndjson" --out "$dir/page.html"
	run "$anechoic" plot --probe nonsense "$dir/a.ndjson"
	[ "$status" = 2 ]
	names=${output#*one of:}
	[ "$(wc -w <<<"$names")" -ge 30 ]
	for name in $names; do
		"$anechoic" plot --probe "$name" "$dir/a.ndjson" --out "$dir/$name.svg" ||
			{ echo "no picture $name"; return 1; }
		paths=$(grep -o ' d="M[^"]*"' "$dir/$name.svg" | grep -m1 L) || continue
		grep -qF "$paths" "$dir/page.html" || { echo "$name: another drawing than the page's"; return 1; }
	done
	xmllint --noout "$dir"/*.svg
	fixture few
	exits 1 "have nothing of picture 'window'" "$anechoic" plot --probe window "$dir/few.ndjson"
}

@test "report and plot: mistakes, damaged files, full disks" {
	made a
	exits 2 "no file" "$anechoic" report
	exits 2 "no file" "$anechoic" plot --probe latency
	exits 2 "no picture; --probe is one of: latency" "$anechoic" plot "$dir/a.ndjson"
	exits 2 "anything of room 'metal'" "$anechoic" report --room metal "$dir/a.ndjson"
	exits 2 "cannot write the output: No space left" sh -c "'$anechoic' report '$dir/a.ndjson' >/dev/full"
	exits 2 "cannot write '$dir/none/x.html'" "$anechoic" report "$dir/a.ndjson" --out "$dir/none/x.html"
	head -n 4 "$dir/a.ndjson" >"$dir/cut.ndjson"
	exits 2 "cut.ndjson" "$anechoic" report "$dir/cut.ndjson" --out "$dir/page.html"
	[[ $(<"$dir/page.html") == *"cut</small>"* ]] # what there is, is shown
}

@test "report: style and script are small enough for the image to carry" {
	[ "$(cat page/files/* | wc -c)" -le 20480 ]
}
