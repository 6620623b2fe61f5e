#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic show --source: each source's own tables of a real result. Magnitudes are not looked at.

load helper

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export RESULT=$BATS_FILE_TMPDIR/result.ndjson
	build/anechoic run --profile smoke --memory 16m --probes clock:rdtsc,clock:adds-plain,ilp --out "$RESULT" \
		>/dev/null
}

setup() {
	program
	letters=$(jq -r '.[].letter' linux/report/sources/sources.json | xargs)
}

@test "every source has its tables, each experiment in its order, at most 79 columns" {
	for letter in $letters; do
		"$anechoic" show --source "$letter" "$RESULT" >"$BATS_TEST_TMPDIR/text"
		! grep -E '.{80}' "$BATS_TEST_TMPDIR/text" || { echo "$letter: a line is too long"; return 1; }
		jq -r --arg s "$letter" '.[] | select(.letter == $s).experiments[].name' linux/report/sources/sources.json \
			>"$BATS_TEST_TMPDIR/names"
		grep -A 1 -E '^$' "$BATS_TEST_TMPDIR/text" | sed -E 's/  (VIRTUAL|EMULATED)$//' |
			grep -xF -f "$BATS_TEST_TMPDIR/names" | diff - "$BATS_TEST_TMPDIR/names"
	done
}

@test "every row that a source asks for has a number or the reason why not" {
	for letter in $letters; do
		"$anechoic" show --json --source "$letter" "$RESULT" |
			jq -r '.[].experiments[] | .name as $e | .rows[] | .name as $r | .cells[] | select(.ours) |
				.ours | select((.value == null) == ((.reason // "") == "")) |
				"\($e): \($r): neither a number nor a reason"' >"$BATS_TEST_TMPDIR/bare"
		[ ! -s "$BATS_TEST_TMPDIR/bare" ] || { cat "$BATS_TEST_TMPDIR/bare"; return 1; }
	done
	# What was measured is there.
	[ "$("$anechoic" show --json --source G "$RESULT" |
		jq '[.[].experiments[].rows[].cells[].ours // empty | select(.row)] | length')" -ge 6 ]
}

@test "every published figure of the data is shown, and no other" {
	for letter in $letters; do
		diff <("$anechoic" show --json --source "$letter" "$RESULT" |
			jq -c '[.[].experiments[].rows[].cells[].figures[]] | sort') \
			<(jq -c --arg s "$letter" '[.[] | select(.letter == $s).experiments[].rows[] |
				(if .series then 1 else 0 end) as $from | .figures // empty |
				(if type == "object" then .[] else . end) |
				(if $from == 1 then .[][1:] else . end)[] | values] | sort' linux/report/sources/sources.json)
	done
}

@test "the last line counts cells, figures and experiments, as the JSON does" {
	for letter in $letters; do
		counts=$("$anechoic" show --json --source "$letter" "$RESULT" | jq -r '.[0].counts |
			"\(.answered) of \(.cells) cells and \(.figures_beside) of its \(.figures) figures answered; \(.empty_experiments) table\(if .empty_experiments == 1 then "" else "s" end) without a value"')
		[ "$("$anechoic" show --source "$letter" "$RESULT" | tail -1)" = "$letter: $counts" ]
	done
	"$anechoic" show --json --source G "$RESULT" | jq -e '.[0] | .counts.cells ==
		([.experiments[].rows[].cells[].ours // empty] | length) and .counts.answered ==
		([.experiments[].rows[].cells[].ours // empty | select(.value != null)] | length)' >/dev/null
}

@test "a table with empty cells names the run that fills them, and that run measures the source's rows" {
	"$anechoic" show --source P "$RESULT" | grep -qx "  all rows: anechoic run --source P"
	"$anechoic" run --source L --probes ilp --profile smoke --memory 16m --out "$BATS_TEST_TMPDIR/l.ndjson" \
		>"$BATS_TEST_TMPDIR/said"
	[ "$(jq -r 'select(.kind == "run").source' "$BATS_TEST_TMPDIR/l.ndjson")" = L ]
	# How long is said before the first table.
	awk '/^source L: [0-9]+ rows; estimate: [0-9.]+ min/ { said = 1 }
		/^ilp: / { exit !said }' "$BATS_TEST_TMPDIR/said"
	grep -q '"variant":"odd-calls"' "$BATS_TEST_TMPDIR/l.ndjson"
	! grep -q '"variant":"add"' "$BATS_TEST_TMPDIR/l.ndjson" || return 1
	! "$anechoic" show --source L "$BATS_TEST_TMPDIR/l.ndjson" | grep "all rows: " || return 1
	# What was measured heads it, not a profile, which a run of a source does not have.
	"$anechoic" show "$BATS_TEST_TMPDIR/l.ndjson" | grep -qE '^build [^ ]+, source L, '
	"$anechoic" report "$BATS_TEST_TMPDIR/l.ndjson" | grep -q ', source L, build '
	exits 2 "source = 'X': must be one of none, L, M3, P, G, R, L26" "$anechoic" run --source X
}

@test "a result of an emulator says so in every title" {
	python3 tests/cli/fixture.py "$BATS_TEST_TMPDIR/q.ndjson" bare 1 QEMU
	"$anechoic" show --source R "$BATS_TEST_TMPDIR/q.ndjson" >"$BATS_TEST_TMPDIR/text"
	[ "$(grep -c '  EMULATED$' "$BATS_TEST_TMPDIR/text")" = \
		"$(jq '.[] | select(.letter == "R").experiments | length' linux/report/sources/sources.json)" ]
	grep -q "room bare, EMULATED" "$BATS_TEST_TMPDIR/text"
}

@test "an unknown source, and options that do not go together" {
	exits 2 "no source 'X'; there are: $letters" "$anechoic" show --source X "$RESULT"
	exits 2 "--source has no card: leave --card out" "$anechoic" show --source L --card "$RESULT"
	exits 2 "--source has all its probes" "$anechoic" show --source L --probe ilp "$RESULT"
	exits 2 "--source needs a value" "$anechoic" show --source
	exits 0 "the tables of one source: $letters" "$anechoic" show --help
}

@test "report --source has the pictures of that source alone, and says what it has nothing of" {
	"$anechoic" report --source G "$RESULT" --out "$BATS_TEST_TMPDIR/g.html"
	grep -q '<section class="probe" id="source-G">' "$BATS_TEST_TMPDIR/g.html"
	! grep -qE 'id="(probe-|values|source-[^G])|<dl>' "$BATS_TEST_TMPDIR/g.html" || return 1
	"$anechoic" report --source L26 "$RESULT" | grep -q "The runs have nothing of it."
	# In a run of a source its section comes first, without the others.
	"$anechoic" run --source L --probes ilp,shuffle --profile smoke --memory 16m --out "$BATS_TEST_TMPDIR/l.ndjson" >/dev/null
	"$anechoic" report "$BATS_TEST_TMPDIR/l.ndjson" >"$BATS_TEST_TMPDIR/l.html"
	[ "$(grep -oP '<section class="probe" id="\K[^"]+' "$BATS_TEST_TMPDIR/l.html" | xargs)" = \
		"source-L probe-shuffle probe-ilp" ]
	! "$anechoic" report --probe shuffle "$BATS_TEST_TMPDIR/l.ndjson" | grep -q 'id="source-' || return 1
	grep -q "Crosses: the source&#39;s figures. Points not measured: " "$BATS_TEST_TMPDIR/l.html"
	grep -q "<p>Nothing, or too little, was measured for: The cache line by strided copies; " "$BATS_TEST_TMPDIR/l.html"
	exits 2 "no source 'X'; there are: $letters" "$anechoic" report --source X "$RESULT"
	exits 2 "--source has all its probes" "$anechoic" report --source L --probe ilp "$RESULT"
}

@test "the completion and the manual know every source" {
	source tools/package/completions/anechoic
	COMP_WORDS=("$anechoic" show --source "") COMP_CWORD=3
	_anechoic
	[ "${COMPREPLY[*]}" = "$letters" ]
	exits 0 "only the pictures of one source: $letters" "$anechoic" report --help
	grep -qF "(${letters// /, };" docs/anechoic.1
}
