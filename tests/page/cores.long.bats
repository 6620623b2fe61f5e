#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Pages of machines of many CPUs, of results that the known-answer machine made: 64 CPUs on four nodes, and,
# as handing over a line takes a second for each pair of CPUs, the matrix of 16.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	dir=$BATS_TEST_TMPDIR
	command -v chromium-headless-shell chromium >/dev/null || skip "no chromium-headless-shell"
}

measure() { # MACHINE PROBES CHECKS
	build/kam --cpu "$1" --image build/BOOTX64.EFI --out "$dir/k.ndjson" --probes "$2" >"$dir/log" 2>&1 ||
		{ tail -n 5 "$dir/log"; return 1; }
	build/anechoic report "$dir/k.ndjson" --out "$dir/k.html"
	tests/page/check_browser.py "$3" "$dir/k.html" "$dir/k.ndjson"
}

# answers FIGURE: so many rows are in the picture.
answers() {
	python3 - "$dir/k.html" "$1" <<-'END'
		import re, sys
		figure = re.search(r'<figure id="%s">(.*?)</figure>' % sys.argv[2], open(sys.argv[1]).read(), re.S)[1]
		print(len({row for rows in re.findall(r'data-r="([^"]*)"', figure) for row in rows.split()}))
	END
}

@test "64 CPUs and four nodes: the clock of each, and each node's memory from each" {
	measure tests/kam/cpus/four-nodes.ini \
		clock:core-clock,clock:div3-lfence,cores:cpu-clock,cores:node-latency,cores:node-read \
		quiet,hover,narrow,contrast
	[ "$(jq -r 'select(.kind == "run") | .cpus' "$dir/k.ndjson")" = 64 ]
	[ "$(answers picture-cores-clock)" = 64 ]
	[ "$(answers picture-cores-node-latency-0)" = 16 ]
	[ "$(answers picture-cores-node-read-0)" = 16 ]
}

@test "16 CPUs and four nodes: a hop of each pair" {
	tests/kam/machine_with.py tests/kam/cpus/four-nodes.ini cpus.count=16 cpus.l3_domains=4 >"$dir/x.ini"
	measure "$dir/x.ini" cores:bounce quiet,narrow,contrast
	[ "$(answers picture-cores-bounce-0)" = 120 ]
}
