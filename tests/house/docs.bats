#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# docs/format.md and docs/method.md name all that a real result has. Magnitudes are not looked at.

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
		$(git ls-files "engine/*.c" "probes/*.c" ':!*_test.c' ':!*_truth.c' "kernel/*.c" "linux/*.c") | sed 's/.*"\(.*\)"/\1/'
	sed -n 's/^#define KEY_.* "\([a-z_]*\)".*/\1/p' lib/result_keys.h
}

@test "docs/format.md names every member of a result" {
	[ "$(members | wc -l)" -ge 60 ]
	! { members; written; } | lacks docs/format.md
}

@test "docs/method.md names every value of the summary" {
	[ "$(jq -r 'select(.kind == "summary").name' "$RESULT" | wc -l)" -ge 30 ]
	! jq -r 'select(.kind == "summary").name' "$RESULT" | lacks docs/method.md
}

@test "docs/method.md names every variant, measured or skipped" {
	! jq -r 'select(.variant).variant' "$RESULT" | lacks docs/method.md
}

@test "docs/method.md has one section for each probe, in the registry's order" {
	diff <(sed -n 's/^PROBE(\([a-z]*\),.*/\1/p' probes/probes.inc) \
		<(sed -n 's/^## `\([a-z]*\)`.*/\1/p' docs/method.md | grep -v summary)
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
