#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What people try in the first ten minutes, because git, perf and hyperfine have it.

load helper

setup() {
	program
	quick="--profile smoke --memory 16m --probe clock:rdtsc"
}

# status FILE: that of its end line.
status() {
	jq -r 'select(.kind == "end").status' "$1"
}

# on_terminal COMMAND...: what a terminal of the folder $dir shows.
on_terminal() {
	(cd "$dir" && script -qec "$*" /dev/null </dev/null)
}

@test "help and version by every usual word" {
	for words in -h --help help; do
		exits 0 "Usage: anechoic COMMAND" "$anechoic" $words
	done
	version=$("$anechoic" --version)
	[[ $version == "anechoic "[0-9]* ]]
	[ "$("$anechoic" -V)" = "$version" ]
	for command in $("$anechoic" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		diff <("$anechoic" help $command) <("$anechoic" $command --help)
		diff <("$anechoic" $command -h) <("$anechoic" $command --help)
	done
	exits 2 "did you mean 'show'" "$anechoic" help shwo
	exits 2 "such as anechoic run --quick" "$anechoic" --quick
	exits 2 "Usage: anechoic COMMAND" "$anechoic"
}

@test "a misspelt name is answered by the nearest one" {
	fixture a
	cd "$dir"
	for words in "shwo:show" "chekc:check" "raport:report" "hlep:help" "version:--version" "show --jsno a.ndjson:--json" "show -json a.ndjson:--json" \
		"show --probe latncy a.ndjson:latency" "show --room hostd a.ndjson:hosted" "explain latncy:latency" \
		"run --probe mpl:mlp" "run --qick:--quick" "plot --probe latncy a.ndjson:latency" "boot --dry-run profil=full:profile"; do
		exits 2 "did you mean '${words##*:}'" "$anechoic" ${words%:*}
	done
	exits 2 "did you mean --probe latency?" "$anechoic" run latency
	exits 2 "did you mean --out new.ndjson?" "$anechoic" run new.ndjson
	exits 2 "'a.ndjson' is a file: anechoic show a.ndjson" "$anechoic" a.ndjson
}

@test "without a file the newest result of the folder is named" {
	cd "$dir"
	for command in show check report compare "plot --probe latency" "export --format csv" anonymize; do
		exits 2 "no file; see \`anechoic ${command%% *} --help\`" "$anechoic" $command
	done
	touch -d 2020-01-01 old.ndjson
	touch -d 2021-01-01 new.ndjson
	touch -d 2019-01-01 oldest.ndjson
	exits 2 "no file; the newest result here: anechoic show new.ndjson" "$anechoic" show
}

@test "every line of every help fits a screen, and that of run is two" {
	for command in "" $("$anechoic" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		run bash -c "'$anechoic' $command --help | awk 'length > 80'"
		[ -z "$output" ] || { echo "$command: $output"; return 1; }
	done
	[ "$("$anechoic" run --help | wc -l)" -le 48 ]
	for option in $("$anechoic" run --help | grep -oP '^  (-., )?\K--[a-z-]*'); do
		"$anechoic" run --help-all | grep -q "^  \(-., \)\?$option " || { echo "--help-all lacks $option"; return 1; }
	done
	[ "$("$anechoic" run --help-all | grep -c '^  --')" -gt "$("$anechoic" run --help | grep -c '^  --')" ]
}

@test "a reader that leaves early, or a full disk on standard output, does not end the run" {
	set -o pipefail
	"$anechoic" run $quick --out "$dir/head.ndjson" | true
	"$anechoic" run $quick --out "$dir/both.ndjson" 2>&1 | true
	exits 2 "standard output failed: No space left on device; the result is in $dir/full.ndjson" \
		sh -c "'$anechoic' run $quick --out $dir/full.ndjson >/dev/full"
	for file in head both full; do
		[ "$(status "$dir/$file.ndjson")" = complete ] || { echo "$file: $(status "$dir/$file.ndjson")"; return 1; }
	done
}

@test "quiet is silent, and the exit code is the answer" {
	[ -z "$("$anechoic" run -q $quick --out "$out" 2>&1)" ]
	[ "$(status "$out")" = complete ]
	[ -z "$("$anechoic" check -q "$out" 2>&1)" ]
	fixture a
	fixture b hosted 2
	[ -z "$("$anechoic" compare --quiet "$dir/a.ndjson" "$dir/b.ndjson" 2>&1)" ]
	exits 2 "nosuch" "$anechoic" check -q nosuch
	diff <("$anechoic" compare -v "$dir/a.ndjson" "$dir/b.ndjson") <("$anechoic" compare --all "$dir/a.ndjson" "$dir/b.ndjson")
}

@test "on a terminal a page and a picture go to a file that is named, in a pipe to the pipe" {
	fixture a
	mkdir "$dir/sub"
	mv "$dir/a.ndjson" "$dir/sub"
	[[ $(on_terminal "$anechoic" report sub/a.ndjson) == "a.html is written"* ]]
	"$anechoic" report "$dir/sub/a.ndjson" | sed 's/sub\///g' >"$dir/piped.html"
	[ "$(grep -c '<svg' "$dir/a.html")" = "$(grep -c '<svg' "$dir/piped.html")" ]
	[[ $(on_terminal "$anechoic" report sub/a.ndjson -o mine.html) == "mine.html is written"* ]]
	python3 tests/cli/page_result.py "$dir/p.ndjson" hosted
	[[ $(on_terminal "$anechoic" plot --probe latency p.ndjson) == "p-latency.svg is written"* ]]
	[[ $(head -c 4 "$dir/p-latency.svg") == "<svg" ]]
	[[ $(on_terminal "$anechoic" report sub/a.ndjson -o -) == "<!"* ]]
}

@test "show and check as JSON" {
	"$anechoic" run $quick --out "$out" >/dev/null
	fixture a
	"$anechoic" show --json "$out" "$dir/a.ndjson" >"$dir/all.json"
	"$anechoic" show --json --card "$out" "$dir/a.ndjson" >"$dir/card.json"
	"$anechoic" check --json "$out" "$dir/a.ndjson" >"$dir/check.json" || [ $? = 1 ]
	python3 - "$dir" "$out" <<-'END'
		import json, pathlib, sys
		folder, result = pathlib.Path(sys.argv[1]), sys.argv[2]
		read = lambda name: json.loads((folder / name).read_text())
		lines = [json.loads(text) for text in open(result)]
		runs, cards, checked = read('all.json'), read('card.json'), read('check.json')
		documented = (folder / '../../../docs/format.md')
		assert [run['file'] for run in runs] == [result, str(folder / 'a.ndjson')], runs[0]['file']
		run, card = runs[0], cards[0]
		assert set(run) - set(card) == {'run', 'rows', 'skips', 'end'}, set(run) ^ set(card)
		assert (run['room'], run['status']) == ('hosted', 'complete')
		rows = [line for line in lines if line['kind'] == 'row']
		assert len(run['rows']) == len(rows) > 0
		for ours, line in zip(run['rows'], rows):
		    assert ours == {k: v for k, v in line.items()
		                    if k not in ('kind', 'room', 'seq', 'crc', 'values', 'flags')}, ours
		assert run['run']['tsc_hz'] == lines[0]['tsc_hz'] == run['tsc_hz']
		values = {line['name']: line['value'] for line in lines if line['kind'] == 'summary'}
		assert {name: value['value'] for name, value in card['values'].items()} == values
		assert [level['level'] for level in card['levels']] == ['l1', 'l2', 'l3', 'l4', 'memory']
		size = cards[1]['levels'][0]['size']
		assert (size['value'], size['claimed'], size['agrees'], size['confidence']) == (32768, 32768, True, 1), size
		assert size == cards[1]['values']['l1d_bytes']
		findings = [f for run in checked['runs'] for f in run['findings']] + checked['between']
		for verdict, count in ('pass', 'passed'), ('look', 'look'), ('FAIL', 'failed'):
		    assert checked[count] == sum(f['verdict'] == verdict for f in findings), verdict
		assert all(f['subject'] and f['text'] for f in findings)
	END
	for member in $(jq -r '.[0] | keys[], (.levels[] | keys[])' "$dir/all.json" | sort -u) runs between findings verdict passed failed; do
		sed -n '/^## As JSON/,/^## /p' docs/format.md | grep -q "\`$member\`" || { echo "docs/format.md lacks $member"; return 1; }
	done
	exits 2 "--since is for people" "$anechoic" show --json --since "$out" "$out"
	exits 2 "--issue is a text" "$anechoic" check --json --issue "$out"
}

@test "JSON stays JSON whatever a name or a number is" {
	results_by "$dir/odd.ndjson" <<-'END'
		result = Result("hosted", cpu={"brand": "X"})
		result.row("pointer", [1, 2, 3], params={"bytes": 10**30})
		result.write(sys.argv[1])
	END
	name=$(printf '%s/\xff\xc3.ndjson' "$dir")
	mv "$dir/odd.ndjson" "$name"
	"$anechoic" show --json "$name" | jq -e '.[0] | (.file | endswith("/??.ndjson")) and .rows[0].params.bytes == 1e30'
	"$anechoic" check --json "$name" | jq -e '.runs[0].findings | length > 5'
}

@test "the card alone, and a part of a result without what it has not" {
	"$anechoic" run $quick --out "$out" >"$dir/run.txt"
	[ "$(jq -c 'select(.kind == "summary") | .probe' "$out" | sort -u)" = '"clock"' ]
	run "$anechoic" show "$out"
	[ "$(grep -c "not measured in this run" <<<"$output")" -le 3 ] || { echo "$output"; return 1; }
	fixture a
	"$anechoic" show --card "$dir/a.ndjson" >"$dir/card"
	[ "$(wc -l <"$dir/card")" -lt 40 ]
	grep -q "^L1 " "$dir/card"
	diff "$dir/card" <("$anechoic" show "$dir/a.ndjson" | sed -n '/^The machine as measured/,/^complete/p' | sed '$d' | sed '1i\\' | sed '$d')
}

@test "what cannot be written is said before anything is measured" {
	touch "$dir/there.ndjson"
	echo precious >"$dir/there.ndjson"
	exits 2 "cannot write '$dir': Is a directory" "$anechoic" run $quick --out "$dir"
	exits 2 "it exists; --force overwrites it" "$anechoic" run $quick -o "$dir/there.ndjson"
	exits 2 "cannot write '/no/such/x': No such file or directory" "$anechoic" run $quick --out /no/such/x
	exits 2 "cannot write '$dir': Is a directory" "$anechoic" report --out "$dir" "$dir/there.ndjson" || fixture a
	exits 2 "Is a directory" "$anechoic" report --out "$dir" "$dir/a.ndjson"
}
