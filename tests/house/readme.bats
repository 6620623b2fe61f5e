# SPDX-License-Identifier: MIT
# README and CONTRIBUTING say what the program and its sources say.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# The registry's rows as the table of docs/method.md has them.
listed() {
	build/anechoic run --list | awk -F '  +' '!NF { exit }
		NR > 1 { printf "| [`%s`](../probes/%s/README.md) | %s | %s |\n", $1, $1, $2, $3 }'
}

@test "the table of probes of docs/method.md is the registry's" {
	diff <(listed) <(grep '^| \[`' docs/method.md)
}

@test "README and docs/sources.md say of the sources what linux/report/sources/sources.json does" {
	tools/source-tables --check || { echo "run tools/source-tables"; return 1; }
}

@test "linux/report/sources/sources.json keeps its rules, and what does not is found" {
	local sources=linux/report/sources/sources.json planted=$BATS_TEST_TMPDIR/planted edits edit program=
	edits=('.titel = 1' '.left_out = ""' '.experiments[0].here = ""' 'del(.experiments[0].why)'
		'.experiments[0].rows[0].name = ""' '.experiments[0].rows[0].absent = "x"'
		'.experiments[0].quantities[0].unit = 1' '.experiments[0].rows[0].series.by_ = 1'
		'(.. | select(.probe?)) |= del(.variant)' '(.. | select(.probe?)).pick = "middle"'
		'(.. | select(.probe?)).over = { summary: "x" }' '.experiments[].rows[].ours = [{}, {}, {}, {}, {}, {}, {}]'
		'.pictures[0].experiment = "x"' '.pictures[0].columns = [9]' '.pictures[0].x = ["long", "n"]'
		'.pictures[0].from = "x"' '.machines = {}' '.experiments[].rows[].figures = [[]]' '.experiments[].rows[].series = { by: "x" }')
	for edit in "${edits[@]}"; do
		program+=", ((.[] | select(.letter == \"G\")) |= ($edit))"
	done
	jq -c ".$program" $sources >"$planted" # the first line is as it is
	tests/house/sources.py <"$planted" >"$planted.found"
	! grep '^1: ' "$planted.found" || return 1
	for edit in "${!edits[@]}"; do
		grep -q "^$((edit + 2)): " "$planted.found" || { echo "not found: ${edits[edit]}"; return 1; }
	done
}

@test "where a source's machine may differ, the README that says why is there" {
	jq -r '.[].experiments[].machine_why // empty' linux/report/sources/sources.json >"$BATS_TEST_TMPDIR/reasons"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/reasons")" -ge 15 ]
	while read -r reason; do
		readme=$(sed -nE 's/.*\((probes\/[a-z]+\/README\.md)\)$/\1/p' <<<"$reason")
		[ -n "$readme" ] && [ -e "$readme" ] || { echo "no README says why: $reason"; return 1; }
	done <"$BATS_TEST_TMPDIR/reasons"
}

@test "every variant that answers a source is one of its probe's" {
	jq -r '[.[].experiments[].rows[].ours // empty | if type == "array" then .[] else . end |
		., .over? | select(.probe?) | "\(.probe) \(.variant)"] | unique[]' linux/report/sources/sources.json >"$BATS_TEST_TMPDIR/rows"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/rows")" -ge 40 ]
	run comm -23 <(cut -d' ' -f1 "$BATS_TEST_TMPDIR/rows" | sort -u) <(sed -n 's/^PROBE(\(\w*\),.*/\1/p' probes/probes.inc | sort)
	[ -z "$output" ] || { echo "sources.json: no probe $output"; false; }
	run comm -23 <(cut -d' ' -f2 "$BATS_TEST_TMPDIR/rows" | sort -u) \
		<(grep -rhoE --include=*.[ch] --exclude={"*_test.c","*_truth.c"} '"[^" ]+"' probes | tr -d '"' | sort -u)
	[ -z "$output" ] || { echo "sources.json: no probe has a variant $output"; false; }
}

@test "mandoc has nothing to say against the manual page" {
	mandoc -T lint -W warning docs/anechoic.1
}

@test "files that the documents point to exist" {
	local text file
	grep -noE '\]\([^)#]+\)' README.md CONTRIBUTING.md docs/*.md probes/*/README.md |
		sed -E 's/:[0-9]+:\]\((.*)\)/ \1/' | sort -u | while read -r text file; do
			[[ $file == http* || $file == ../probes/example/* || $text != */* && -e $file || $text == */* && -e ${text%/*}/$file ]] ||
				echo "$text points to $file, which is not there"
		done >"$BATS_TEST_TMPDIR/missing"
	[ ! -s "$BATS_TEST_TMPDIR/missing" ] || { cat "$BATS_TEST_TMPDIR/missing"; false; }
}

@test "every source letter of the table of probes is explained" {
	for letter in $(listed | cut -d'|' -f3 | tr -d '-' | tr ' ' '\n' | sort -u); do
		grep -q "^- $letter: " README.md || { echo "README does not say what $letter is"; return 1; }
		grep -qx "## $letter" docs/sources.md || { echo "docs/sources.md does not explain $letter"; return 1; }
	done
}

# At most 25 words, a line each; nobody has to know more of our own words than that.
@test "the glossary is short, and README and CONTRIBUTING point to it" {
	[ "$(grep -c '^| \*\*' docs/glossary.md)" -le 25 ]
	grep -q '(docs/glossary.md)' README.md
	grep -q '(docs/glossary.md)' CONTRIBUTING.md
}

@test "what CONTRIBUTING's list says is where, is there" {
	sed -n '/^## Where is what/,/^## House/p' CONTRIBUTING.md |
		sed -n 's/^| .* | `\(.*\)` | `\(.*\)` |$/\1 \2/p' >"$BATS_TEST_TMPDIR/list"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/list")" -ge 8 ]
	while read -r file name; do
		grep -qw -- "$name" "$file" || { echo "CONTRIBUTING: $file has no '$name'"; bad=1; }
	done <"$BATS_TEST_TMPDIR/list"
	[ -z "${bad:-}" ]
}

# FILE:LINE of each path in the documents that no file or folder has. NAME, FOLDER, FILE and * stand for any name,
# probes/example/ is the recipe's, lib/anechoic/ is where an installed image lies.
paths_not_there() {
	local place path
	git ls-files '*.md' | xargs grep -noE '`(lib|engine|probes|kernel|efi|linux|page|linker|tests|tools|docs)/[A-Za-z0-9_./*-]*`' |
		sort -t: -k3 -u | while IFS=' ' read -r place; do
			path=${place##*:} path=${path//\`/}
			[[ $path == probes/example/* || $path == lib/anechoic/* || -e $path ]] && continue
			path=${path//NAME/*} path=${path//FOLDER/*}
			compgen -G "${path//FILE/*}" >/dev/null || echo "$place"
		done
}

@test "every path that a document names is there" {
	run paths_not_there
	[ -z "$output" ] || { echo "$output"; false; }
}

@test "the architecture is one page" {
	[ "$(wc -l <docs/architecture.md)" -le 120 ]
	grep -q '(docs/architecture.md)' README.md
	grep -q '(docs/architecture.md)' CONTRIBUTING.md
}

@test "CONTRIBUTING has 200 lines at most" {
	[ "$(wc -l <CONTRIBUTING.md)" -le 200 ]
}
