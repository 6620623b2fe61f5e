#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# CONTRIBUTING.md's recipe for a new probe works as written: a folder, one line, two documents; and
# the tree that results obeys the rules of the sources, of the README and of the documents.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	tree=$BATS_TEST_TMPDIR/tree
	cd "$top" || return
	mkdir "$tree"
	git ls-files --cached --others --exclude-standard -z | xargs -0 cp -a --parents -t "$tree"
	[ ! -d build ] || tar -c --exclude=build/san --exclude=build/test build | tar -x -C "$tree" # what need not be compiled
	cd "$tree" || return
}

# The n-th fenced block of CONTRIBUTING.md.
block() {
	awk -v want="$1" '/^```/ { inside = !inside; n += inside; next } inside && n == want' CONTRIBUTING.md
}

# insert FROM BEFORE FILE: puts standard input before the first line like BEFORE after one like FROM.
insert() {
	cat >"$BATS_TEST_TMPDIR/text"
	awk -v from="$1" -v before="$2" -v text="$BATS_TEST_TMPDIR/text" '
		$0 ~ from { seen = 1 }
		seen && !done && $0 ~ before {
			while ((getline line <text) > 0)
				print line
			done = 1
		}
		{ print }' "$3" >"$BATS_TEST_TMPDIR/new"
	cp "$BATS_TEST_TMPDIR/new" "$3"
}

# add_probe: the recipe, step by step.
add_probe() {
	mkdir probes/example
	block 1 >probes/example/example.c
	[ "$(block 2 | wc -l)" = 1 ]
	block 2 >>probes/probes.inc
	block 3 >probes/example/README.md
	[ "$(block 4 | wc -l)" = 1 ]
	block 4 | insert '^<!-- probes:' '^$' README.md
	[ "$(block 5 | wc -l)" = 1 ]
	block 5 | insert '^| probe, in the order' '^$' docs/method.md
}

build() { # TARGET
	make -j2 "$1" >build.log 2>&1 || { tail -30 build.log; return 1; }
}

@test "the example probe of CONTRIBUTING.md: a folder and three lines, the house rules hold, its loop is proved" {
	git init -q
	git add -A # for the rules, the tree is what git knows
	add_probe
	[ "$(git ls-files --modified --others --exclude-standard | tr '\n' ' ')" = \
		"probes/example/README.md probes/example/example.c README.md docs/method.md probes/probes.inc " ]
	git add -N probes/example
	build all
	rm build.log

	build/anechoic run --list | grep 'example.*what a dependent add costs'
	build/anechoic run --profile smoke --probe example --out r.ndjson >table.txt
	cat table.txt
	[ "$(jq -r 'select(.kind == "row" and .probe == "example") | .params.n' r.ndjson | tr '\n' ' ')" = "16 256 " ]
	grep 'A long chain of adds takes' table.txt
	grep 'add_ns ' table.txt
	[ "$(jq -r 'select(.kind == "end") | .status' r.ndjson)" = complete ]
	build/anechoic explain add_ns | grep 'an add cost that waits for the one before it'
	rm r.ndjson table.txt
	bats tests/house/rules.bats tests/house/readme.bats tests/house/docs.bats

	echo "a loop that does not do its work is not timed:"
	sed -i 's/job->expect = 64/job->expect = 63/' probes/example/example.c
	build build/anechoic
	run build/anechoic run --profile smoke --probe example --out r.ndjson
	echo "$output"
	[ "$status" = 1 ]
	[ "$(jq -r 'select(.kind == "row")' r.ndjson)" = "" ]
	jq -r 'select(.kind == "skip") | .reason' r.ndjson | grep 'proof failed'
}
