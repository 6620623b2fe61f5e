#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# CONTRIBUTING.md's recipe for a new probe works as written: one file and one line.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	tree=$BATS_TEST_TMPDIR/tree
	cd "$top" || return
	mkdir "$tree"
	git ls-files --cached --others --exclude-standard -z | xargs -0 cp -a --parents -t "$tree"
	[ ! -d build ] || cp -a build "$tree" # what need not be compiled again
	cd "$tree" || return
	rm -rf build/test
}

# The n-th fenced block of CONTRIBUTING.md.
block() {
	awk -v want="$1" '/^```/ { inside = !inside; n += inside; next } inside && n == want' CONTRIBUTING.md
}

@test "the example probe of CONTRIBUTING.md takes one file and one line" {
	block 1 >probes/example.c
	[ "$(block 2 | wc -l)" = 1 ]
	block 2 >>probes/probes.inc
	make -j2 build/anechoic >build.log 2>&1 || { tail -30 build.log; return 1; }

	build/anechoic run --list | grep 'example.*what a dependent add costs'
	build/anechoic run --profile smoke --probe example --out r.ndjson >table.txt
	cat table.txt
	[ "$(jq -r 'select(.kind == "row" and .probe == "example") | .n' r.ndjson | tr '\n' ' ')" = "16 256 " ]
	grep 'A long chain of adds takes' table.txt
	grep 'add_ns ' table.txt
	[ "$(jq -r 'select(.kind == "end") | .status' r.ndjson)" = complete ]
}

@test "a probe whose kernel does not do its work is not timed" {
	block 1 | sed 's/job->expect = 64/job->expect = 63/' >probes/example.c
	block 2 >>probes/probes.inc
	make -j2 build/anechoic >build.log 2>&1 || { tail -30 build.log; return 1; }
	run build/anechoic run --profile smoke --probe example --out r.ndjson
	echo "$output"
	[ "$status" = 1 ]
	[ "$(jq -r 'select(.kind == "row")' r.ndjson)" = "" ]
	jq -r 'select(.kind == "skip") | .reason' r.ndjson | grep 'proof failed'
}
