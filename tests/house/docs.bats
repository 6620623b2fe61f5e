#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# docs/format.md and the READMEs of the probes name all that a real result has, in the form that `anechoic
# explain` reads. Magnitudes are not looked at.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export RESULT=$BATS_FILE_TMPDIR/result.ndjson
	build/anechoic run --profile smoke --memory 256m --out "$RESULT" >/dev/null
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# lacks FILE: prints the words of standard input that no `code` of the file has; true if there are.
lacks() {
	grep -oE '`[^`]+`' "$1" | grep -oE '[a-zA-Z0-9_.-]+' | sort -u >"$BATS_TEST_TMPDIR/named"
	sort -u | comm -23 - "$BATS_TEST_TMPDIR/named" | grep .
}

# Every member, nested ones too; what hangs below mitigations is named by the kernel.
members() {
	jq -r 'del(.os.mitigations[]?) | [paths | map(strings)] | flatten | unique[]' "$RESULT"
}

# Members and parameters that the sources can write, whichever room they are for; those of tables
# (*.inc) are tests/house/tables.bats's.
written() {
	grep -ohE '(jsonl_(string|number|integer|bool|null|array|object)|put_[a-z]+|row_param)\([^,()]*, "[a-z0-9_]+"' \
		$(git ls-files "engine/*.c" "probes/*.c" ':!*_test.c' ':!*_truth.c' "kernel/*.c" "linux/*.c" ':!linux/report') | sed 's/.*"\(.*\)"/\1/'
	sed -n 's/^#define KEY_.* "\([a-z_]*\)".*/\1/p' lib/result_keys.h
}

@test "docs/format.md names every member of a result" {
	[ "$(members | wc -l)" -ge 60 ]
	! { members; written; } | lacks docs/format.md
}

# items HEADING TREE: "PROBE NAME" of what the items below that heading of the READMEs name.
items() {
	awk -v sort="$1" -f tests/house/readme_items.awk "$2"/probes/*/README.md | sort -u
}

values() {
	jq -r 'select(.kind == "summary") | "\(.probe) \(.name) (\(.unit))"' "$RESULT" | sort -u
}

variants() {
	jq -r 'select(.variant) | "\(.probe) \(.variant)"' "$RESULT" | sort -u
}

@test "the README of each probe has every value of its summary, with the unit" {
	[ "$(values | wc -l)" -ge 30 ]
	! values | comm -23 - <(items Values .) | grep .
}

@test "the README of each probe has every variant, measured or skipped" {
	[ "$(variants | wc -l)" -ge 80 ]
	! variants | comm -23 - <(items "What is timed" .) | grep .
}

# All that any run may have: of a processor with more levels, of a longer profile.
possible_values() {
	{
		sed -n 's/^NOISE_THRESHOLD(\([^,]*\),.*/noise noise_gaps_above_\1us (gaps)/p' lib/noise_thresholds.inc
		gcc -E -P -D'NAME(name, unit, when, probe, ...)=probe name unit;' \
			-D'LEVELS(name, unit, probe, ...)=probe name _l1 unit; probe name _l2 unit; probe name _l3 unit; probe name _l4 unit; probe name _memory unit;' \
			-x c tests/kam/judge/summary_names.inc | tr ';' '\n' |
			sed -nE 's/^ *"(.*)" ([a-z0-9_.]+) ?(_[a-z0-9]+)? "(.*)"$/\1 \2\3 (\4)/p'
	} | sort -u
}

@test "the READMEs have every value that there may be, and no other" {
	possible_values >"$BATS_TEST_TMPDIR/possible"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/possible")" -ge 100 ]
	! items Values . | comm -23 "$BATS_TEST_TMPDIR/possible" - | grep .
	while read -r probe value unit; do
		grep -rqF "\"$value\", \"${unit//[()]/}\"" "probes/$probe" || { echo "$probe has no value $value $unit"; bad=1; }
	done < <(items Values . | comm -13 "$BATS_TEST_TMPDIR/possible" -)
	[ -z "${bad:-}" ]
}

@test "the READMEs have no variant that no probe has" {
	while read -r probe variant; do
		grep -rqF "\"$variant\"" probes --include='*.[ch]' || { echo "$probe has no variant $variant"; bad=1; }
	done < <(items "What is timed" .)
	[ -z "${bad:-}" ]
}

@test "an item that a README lacks is found" {
	mkdir "$BATS_TEST_TMPDIR/probes"
	cp -r probes/mlp "$BATS_TEST_TMPDIR/probes"
	sed -i 's/^- `chains`/- chains/; s/^- `parallel_misses` (misses)/- `parallel_misses` (m)/' \
		"$BATS_TEST_TMPDIR/probes/mlp/README.md"
	variants | comm -23 - <(items "What is timed" "$BATS_TEST_TMPDIR") | grep -qx 'mlp chains'
	values | comm -23 - <(items Values "$BATS_TEST_TMPDIR") | grep -qx 'mlp parallel_misses (misses)'
}

# The headings of the one form, in their order; a README may lack those that say nothing there.
@test "each probe has a README of the one form, and docs/method.md lists them in the registry's order" {
	names=$(sed -n 's/^PROBE(\([a-z]*\),.*/\1/p' probes/probes.inc)
	diff <(echo "$names") <(sed -n 's/^| \[`\([a-z]*\)`\](..\/probes\/\1\/README.md) | .* |$/\1/p' docs/method.md)
	diff <(sort <<<"$names") <(git ls-files 'probes/*/README.md' | cut -d/ -f2)
	printf '## %s\n' "What is timed" "What the number means" "What misleads, and what is done" Values Truth \
		"Figures seen" Sources >"$BATS_TEST_TMPDIR/form"
	for name in $names; do
		readme=probes/$name/README.md
		[[ $(head -1 "$readme") == "# \`$name\`: "* ]] || { echo "$readme: its title is not that of $name"; bad=1; }
		grep '^## ' "$readme" >"$BATS_TEST_TMPDIR/has"
		diff <(grep -xFf "$BATS_TEST_TMPDIR/has" "$BATS_TEST_TMPDIR/form") "$BATS_TEST_TMPDIR/has" ||
			{ echo "$readme: < the form, > its headings"; bad=1; }
		for heading in "What is timed" "What misleads, and what is done"; do
			grep -qx "## $heading" "$readme" || { echo "$readme lacks '$heading'"; bad=1; }
		done
		for item in Prefetchers Translation Clock Node; do
			grep -qE "^- ([A-Z][a-z]+, )*$item(, [A-Z][a-z]+)*: " "$readme" || { echo "$readme: no item $item"; bad=1; }
		done
	done
	[ -z "${bad:-}" ]
}

# Every "docs/FILE.md, "Title"" and "probes/NAME/README.md, "Title"" of the tree, though a line ends within it.
@test "every section that sources and documents refer to is there" {
	git ls-files '*.[chS]' '*.inc' '*.md' '*.py' '*.bats' '*.tap' | xargs sed -zE 's/\n( \*|#)? */ /g' |
		grep -aoE '(docs/[a-z-]+|probes/[a-z]+/README)\.md(\]\([^)]*\))?, "[A-Z][^"]+"' |
		sed -E 's/\]\([^)]*\)//' | sort -u >"$BATS_TEST_TMPDIR/referred"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/referred")" -ge 20 ]
	while IFS=, read -r file title; do
		title=${title# \"}
		grep -qE "^#+ |^\*\*" "$file" && { grep -qxE "#+ .*${title%\"}.*" "$file" || grep -qF "**${title%\"}" "$file"; } ||
			{ echo "$file has no section '${title%\"}'"; bad=1; }
	done <"$BATS_TEST_TMPDIR/referred"
	[ -z "${bad:-}" ]
}

@test "docs/method.md says from which profile on each answer is given, in their order" {
	diff <(sed -n 's/^\(CORE_\)\?ANSWER(\w*, \(\w*\), "\(.*\)")$/\3 | `\L\2\E` | \1/p' \
		engine/answers.inc | sed 's/CORE_$/yes/') \
		<(sed -n '/^| what is answered/,/^$/s/^| \(.*\) |$/\1/p' docs/method.md | sed 1d)
}

@test "docs/report.md has every picture" {
	names=$(sed -n 's/^\t{ "\([a-z-]*\)", "[a-z]*".*/\1/p' page/pictures.c)
	[ "$(wc -w <<<"$names")" -ge 30 ]
	for name in $names; do
		grep -q "^| .*\`$name\`" docs/report.md || { echo "docs/report.md lacks $name"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
