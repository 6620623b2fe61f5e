#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# CONTRIBUTING.md's recipe for a new probe works as written, and the tree that results obeys the house rules. This
# compiles the product twice; recipe.bats compares the recipe with the tree.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	tree=$BATS_TEST_TMPDIR/tree
	cd "$top" || return
	mkdir "$tree"
	git ls-files --cached --others --exclude-standard -z | xargs -0 cp -a --parents -t "$tree"
	[ ! -d build ] || tar -c --exclude=build/{san,test,debug} build | tar -x -C "$tree" # what need not be compiled
	cd "$tree" || return
}

# add_probe: the recipe. A line goes behind that of the last probe; where there is none, to the end.
add_probe() {
	local last file line after
	last=$(sed -n 's/^PROBE(\([a-z]*\),.*/\1/p' probes/probes.inc | tail -n 1)
	cp -r tests/house/example probes/example
	sed -n '/^<!-- lines of a probe/,/^[^ <]/s/^    //p' CONTRIBUTING.md >"$BATS_TEST_TMPDIR/lines"
	while read -r file line; do
		after=${line%%example*}$last
		LINE=$line AFTER=$after awk '
			index($0, ENVIRON["AFTER"]) == 1 { found = 1; print; print ENVIRON["LINE"]; next }
			{ print }
			END { if (!found) print ENVIRON["LINE"] }' "$file" >"$BATS_TEST_TMPDIR/new"
		cp "$BATS_TEST_TMPDIR/new" "$file"
	done <"$BATS_TEST_TMPDIR/lines"
}

build() { # TARGET
	make -j2 "$1" >build.log 2>&1 || { tail -30 build.log; return 1; }
}

@test "the example probe of CONTRIBUTING.md: a folder and four lines, the house rules hold, its loop is proved" {
	git init -q
	git add -A # for the rules, the tree is what git knows
	add_probe
	[ "$(git ls-files --modified --others --exclude-standard | tr '\n' ' ')" = \
		"probes/example/README.md probes/example/example.c probes/example/example_truth.c docs/method.md page/files/sections.txt probes/probes.inc probes/values.inc " ]
	git add -N probes/example
	build all
	build build/judge/probes/example/example_truth.o
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
	git rm -rq --cached tests/house/example # its base names stand in probes/example now
	rm -r tests/house/example
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
