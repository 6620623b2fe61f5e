#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The report's pages in a headless Chromium. CHECK of check_browser.py says what is looked at.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	dir=$BATS_FILE_TMPDIR
	python3 tests/cli/page_result.py "$dir/a.ndjson"
	python3 tests/cli/page_result.py "$dir/b.ndjson" bare
	python3 tests/cli/page_result.py "$dir/q.ndjson" firmware QEMU
	tests/page/many_cpus.py "$dir/many.ndjson" 64 4
	tests/page/many_cpus.py "$dir/more.ndjson" 40 8
	build/anechoic report "$dir/a.ndjson" --out "$dir/one.html"
	build/anechoic report "$dir"/{a,q,b}.ndjson --out "$dir/rooms.html"
	build/anechoic report "$dir/many.ndjson" --out "$dir/many.html"
	build/anechoic report "$dir/more.ndjson" --out "$dir/more.html"
	for i in 1 2; do
		python3 tests/cli/page_result.py "$dir/metal-$i.ndjson" bare
		python3 tests/cli/page_result.py "$dir/linux-$i.ndjson"
	done
	build/anechoic report "$dir"/{metal,linux}-{1,2}.ndjson --out "$dir/sides.html"
	build/anechoic report "$dir/q.ndjson" --probe latency --out "$dir/part.html"
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	dir=$BATS_FILE_TMPDIR
	command -v chromium-headless-shell chromium >/dev/null || skip "no chromium-headless-shell"
}

check() { # CHECK PAGE RESULT...
	tests/page/check_browser.py "$1" "$dir/$2.html" "${@:3}"
}

@test "a page asks for nothing, has no error, and no text lies over another or is cut" {
	check quiet one
	check quiet rooms
	check quiet many
	check quiet more
}

@test "the pointer and the keys tell the file's values; a click the samples" {
	check hover one "$dir/a.ndjson"
	check hover rooms "$dir"/{a,q,b}.ndjson
	check hover many "$dir/many.ndjson"
}

@test "on a telephone nothing is wider than the screen" {
	check narrow one
	check narrow rooms
	check narrow many
}

@test "from a telephone to a wide screen: columns hold their lines, one mark, no empty section" {
	check layout one
	check layout rooms
	check layout sides
	check layout part
}

@test "light and dark, all text can be read" {
	check contrast rooms
	check contrast many
	check contrast sides
}

@test "a hostile result runs nothing" {
	for text in "</script><script>document.title=1</script>" "<img src=x onerror=document.title=1>" \
		"\" onload=document.title=1 x=\"" "' autofocus onfocus=document.title=1 '"; do
		python3 tests/cli/page_result.py "$dir/bad.ndjson" hosted "$text"
		build/anechoic report "$dir/bad.ndjson" "$dir/a.ndjson" --out "$dir/bad.html"
		check quiet bad
	done
}

@test "a page of a real run: every probe has its picture, the pointer tells the file's values" {
	build/anechoic run --profile smoke --memory 256m --out "$dir/run.ndjson" >/dev/null
	build/anechoic report "$dir/run.ndjson" --out "$dir/run.html"
	tests/cli/check_page.py "$dir/run.html" "$dir/run.ndjson"
	check quiet,hover,narrow,layout,contrast run "$dir/run.ndjson"
}

@test "a page of 20 results of 1600 rows is smaller than 2 MB" {
	for i in {1..20}; do
		python3 tests/page/long_result.py "$dir/long$i.ndjson" "$i"
	done
	build/anechoic report "$dir"/long{1..20}.ndjson --out "$dir/long.html"
	bytes=$(wc -c <"$dir/long.html")
	echo "# 20 results: $bytes bytes, opened in $(tests/page/check_browser.py opening "$dir/long.html")" >&3
	[ "$bytes" -lt 2000000 ]
	check quiet,narrow long
}
