#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The documents name what the tables of the sources (*.inc) have: a line that is added to one fails
# here until every document that lists such things has it.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# A line for each table: its file, its macro, which argument of it is the name, and the documents
# that name each entry. "-": code, which nobody reads about, with the reason.
documented() {
	cat <<-END
		probes.inc            PROBE            1  docs/method.md
		row_statistics.inc    STATISTIC        1  docs/format.md
		event_counts.inc      EVENT            2  docs/format.md
		speed_facts.inc       SPEED_FACT       1  docs/format.md
		cpu_controls.inc      CPU_CONTROL      1  docs/format.md docs/method.md docs/anechoic.1
		noise_thresholds.inc  NOISE_THRESHOLD  1  probes/noise/README.md
		rooms.inc             ROOM             1  README.md docs/format.md docs/glossary.md docs/anechoic.1
		export_formats.inc    EXPORT_FORMAT    1  docs/format.md docs/anechoic.1
		fleet_keys.inc        FLEET_KEY        1  docs/format.md
		circumstances.inc     CIRCUMSTANCE     1  docs/format.md
		values.inc            -  each in its probe's README: tests/house/docs.bats compares them
		answers.inc           -  whole sentences: tests/house/docs.bats compares docs/method.md
		stream.inc            -  assembly
		chains.inc            -  assembly
		matmul.inc            -  C that is compiled twice
		source_rows.inc       -  rows of docs/sources.md, written with it
		timing.inc            -  assembly
	END
}

# names FILE MACRO N: the N-th argument of each line MACRO(...) of a table, a line each.
names() {
	sed -n "s/^$2(\(.*\)/\1/p" "$1" | cut -d, -f"$3" | tr -d ' ")' | sed 's/\/\*.*//'
}

# has DOCUMENT NAME: whether the document names it: in \`code\`, in an indented line, or as a word of
# a manual page. Of a member "a.b" its last part counts; what ends with "." or "_" begins names.
has() {
	local name=${2%.} end='[^a-zA-Z0-9_-]'
	[[ $2 != *_ ]] || end=
	name=${name##*.}
	[ "$1" != probes/noise/README.md ] || [[ $2 != [0-9]* ]] || name=noise_gaps_above_${2}us # is no member
	case $1 in
	*.1) sed 's/\\-/-/g' "$1" | grep -qE "(^|[^a-zA-Z0-9_])${name//_/[_-]}($end|\$)" ;;
	*) { grep -oE '`[^`]+`' "$1"; grep '^    ' "$1"; } | grep -qE "(^|[^a-zA-Z0-9])$name($end|\$)" ;;
	esac
}

# lacking FILE MACRO N DOCUMENT...: prints what no document has; true if there is any.
lacking() {
	local file=$1 macro=$2 n=$3 document name any=1
	shift 3
	for document; do
		while read -r name; do
			has "$document" "$name" || { echo "$document does not name '$name' of $file"; any=0; }
		done < <(names "$file" "$macro" "$n")
	done
	return $any
}

@test "the documents name every entry of the sources' tables" {
	while read -r table macro n documents; do
		[ "$macro" != - ] || continue
		file=$(git ls-files "*/$table" ':!tests')
		[ -n "$(names "$file" "$macro" "$n")" ] || { echo "$table: no line $macro(...)"; bad=1; }
		! lacking "$file" "$macro" "$n" $documents || bad=1
	done < <(documented)
	[ -z "${bad:-}" ]
}

@test "every table of the sources is one that documents are held to, or says why not" {
	diff <(git ls-files '*.inc' ':!tests' ':!*loops.inc' | sed 's/.*\///' | sort) <(documented | cut -d' ' -f1 | sort) ||
		{ echo "< tables of the tree, > those of tests/house/tables.bats"; return 1; }
}

@test "an entry that the documents lack is found, in each table" {
	while read -r table macro n documents; do
		[ "$macro" != - ] || continue
		file=$BATS_TEST_TMPDIR/$table
		printf '%s(planted_name, planted_name, "planted_name", 1)\n' "$macro" >"$file"
		for document in $documents; do
			lacking "$file" "$macro" "$n" "$document" >"$BATS_TEST_TMPDIR/said" ||
				{ echo "$document: expected to lack an entry planted in $table"; bad=1; }
		done
	done < <(documented)
	[ -z "${bad:-}" ]
}
