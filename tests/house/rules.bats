#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The house rules that a program can check; CONTRIBUTING.md says why they are there.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	rules=(awk -f "$PWD/tests/house/includes.awk" "$PWD/CONTRIBUTING.md")
}

# Source files of the tree, also new ones that git does not know yet.
sources() {
	git ls-files --cached --others --exclude-standard | grep -E '\.(c|h|S|inc|lds)$'
}

@test "no layer includes what it must not know" {
	sources | xargs "${rules[@]}"
}

# table: the rule's table as lines of "ROOM SYSTEM-HEADERS MAY-INCLUDE...".
table() {
	sed -n 's/^| `\([a-z/]*\)` |[^|]*| \([^|]*\) | \([^|]*\) |$/\1 \3 \2/p' "${1:-CONTRIBUTING.md}" |
		tr -d '`' | sed 's/, efi/-efi/'
}

# plant yes|no ROOM INCLUDE: a file of the room, with a number in its name, that includes this.
plant() {
	planted=$((planted + 1))
	[ -d "$2" ] || mkdir -p "$2"
	echo "#include $3" >"${2}planted$planted.c"
	echo "$1 ${2}planted$planted.c $3" >>planted
}

@test "the dependency rule refuses every arrow that its table does not have, and no other" {
	table >"$BATS_TEST_TMPDIR/table"
	cd "$BATS_TEST_TMPDIR"
	planted=0
	while read -r room kind may; do
		for other in $(cut -d' ' -f1 table) tests/ tools/; do
			[[ " $may " == *" $other "* ]] && expected=yes || expected=no
			plant $expected "$room" "\"${other}planted.h\""
		done
		for header in stddef.h stdio.h efi.h; do
			case $kind-$header in
			any-* | *-stddef.h | *-efi-efi.h) expected=yes ;;
			*) expected=no ;;
			esac
			plant $expected "${room}within/" "<$header>"
		done
	done <table
	plant yes efi/ '"kernel/machine.h"' # a file of a room
	plant no lib/ '"kernel/machine.h"'
	plant yes probes/loops/ '"probes/planted/planted_loops.inc"' # a list of loops
	plant no lib/ '"probes/planted/planted_loops.inc"'
	[ "$planted" -ge 128 ] || { echo "only $planted arrows tried: has the table changed its form?"; false; }
	cut -d' ' -f2 planted | xargs "${rules[@]}" | sed 's/:.*//' | sort -u >refused || true
	diff <(sed -n 's/^no \([^ ]*\) .*/\1/p' planted | sort) refused ||
		{ echo "< is to be refused, > is refused; what each includes:"; cat planted; false; }
}

# acyclic [TABLE]: tsort fails where the arrows of the table run in a circle. A list (.inc) that the
# table names by itself is no arrow: it includes nothing.
acyclic() {
	table "$@" >"$BATS_TEST_TMPDIR/rooms"
	awk 'NR == FNR { room[$1]; next } {
		for (i = 3; i <= NF; i++) {
			to = $i
			if (to ~ /\.inc$/)
				continue
			while (to != "" && !(to in room) && sub(/[^\/]*\/?$/, "", to))
				;
			if (to != "" && to != $1)
				print $1, to
		}
	}' "$BATS_TEST_TMPDIR/rooms" "$BATS_TEST_TMPDIR/rooms" | tsort >/dev/null
}

@test "the table of rooms has no circle" {
	acyclic
	sed 's/^| `lib\/` .*/| `lib\/` | x | `lib\/` `engine\/bench.h` | freestanding |/' CONTRIBUTING.md \
		>"$BATS_TEST_TMPDIR/table"
	! acyclic "$BATS_TEST_TMPDIR/table"
	! grep -n '# *include' probes/values.inc
}

# twins: prints files of the same base name in standard input, and fails where there are any; .c, .h
# and .S of one folder belong together.
twins() {
	grep -E '\.(c|h|S)$' | sed 's/\.[chS]$//' | sort -u |
		awk -F/ '{ n[$NF]++; paths[$NF] = paths[$NF] " " $0 }
			END { for (name in n) if (n[name] > 1) { print paths[name]; found = 1 }; exit found }'
}

@test "base names of sources are unique" {
	sources | twins
	[ "$(printf '%s\n' lib/a.c lib/a.h lib/b.c linux/b.S | twins)" = " lib/b linux/b" ]
}

# large: of "LINES PATH" in standard input, the rooms with more than 30 % of all lines.
large() {
	awk '{ split($2, part, "/"); lines[part[1]] += $1; all += $1 }
		END {
			for (room in lines)
				if (lines[room] > 0.3 * all) {
					printf "%s has %.1f %% of the lines\n", room, 100 * lines[room] / all
					found = 1
				}
			exit found
		}'
}

@test "no room has more than 30 % of the product" {
	sources | grep -vE '^(tests|tools)/|_(test|truth)\.c$' | xargs wc -l | grep -v ' total$' | large
	[ "$(printf '%s\n' '20 a/x.c' '11 a/y/z.c' '30 b/x.c' '9 c/x.c' '30 d/x.c' | large)" = \
		"a has 31.0 % of the lines" ]
}

# unplaced: of sources in standard input, the unit tests that no source gives its name to.
unplaced() {
	awk -F/ '
		/^tests\/unit\/.*_test\.c$/ { tests[$0] = $3 "/" $4; next }
		/^probes\/.*_test\.c$/ { tests[$0] = $1 "/" $NF; next }
		/\.[cS]$/ { name = $NF; sub(/\..*/, "", name); named[$1 "/" name] }
		END {
			for (test in tests) {
				name = tests[test]
				while (!(name in named) && sub(/_[^_\/]*$/, "", name))
					;
				if (!(name in named)) { print test; found = 1 }
			}
			exit found
		}'
}

@test "a unit test is named after a source of its folder" {
	sources | unplaced
	[ "$(printf 'tests/unit/%s_test.c\n' lib/a lib/a_more lib/b a | cat - <(echo lib/in/a.c) | unplaced |
		sort | tr '\n' ' ')" = "tests/unit/a_test.c tests/unit/lib/b_test.c " ]
}

@test "the documents are wrapped at 100 columns" {
	tests/house/wrapped.py README.md CONTRIBUTING.md docs/*.md
}

@test "a long line is found, but in code" {
	cd "$BATS_TEST_TMPDIR"
	line=$(printf '%0101d' 0)
	printf '%s\n' '```' "$line" '```' "    $line" "|$line" >good.md
	"$OLDPWD/tests/house/wrapped.py" good.md
	printf '%s\n' '```' '```' "$line" "|$line$line" >bad.md
	[ "$("$OLDPWD/tests/house/wrapped.py" bad.md | cut -d: -f2 | tr '\n' ' ')" = "3 4 " ]
}

@test "every source file names its licence in the first line" {
	sources | xargs awk '
		FNR == 1 && !/SPDX-License-Identifier: MIT/ { print FILENAME; bad = 1 }
		END { exit bad }'
}

@test "no line of a source is longer than 100 columns" {
	sources | grep -v '\.lds$' | xargs awk -F '\t' '
		{
			columns = 0
			for (i = 1; i < NF; i++)
				columns = int((columns + length($i)) / 8 + 1) * 8
			columns += length($NF)
		}
		columns > 100 { printf "%s:%d: %d columns\n", FILENAME, FNR, columns; bad = 1 }
		END { exit bad }'
}

@test "no file is longer than 800 lines" {
	sources | xargs awk '
		FNR == 801 { print FILENAME " has more than 800 lines"; bad = 1 }
		END { exit bad }'
}

# Folders whose comments are plain sentences; the others of the tree join this list when theirs are.
plain="engine probes kernel efi linux page lib tools tests"

@test "comments are sentences, not noun clauses" {
	tests/house/comments.py --most 3 $plain
}

@test "a comment that opens with a noun clause is counted, in a string or behind code it is not" {
	cd "$BATS_TEST_TMPDIR"
	mkdir planted
	printf '%s\n' '/* SPDX-License-Identifier: MIT */' '/*' ' * What is planted.' ' */' \
		'	/* Print it. */' 'int a; /* Of it */' 'char *b = "' '"; // as it is' '// So it is' \
		'char *c = "/* How */";' >planted/a.c
	printf '/* Which */\n' >planted/a.txt
	[ "$("$OLDPWD/tests/house/comments.py" planted | head -1)" = "planted: 2 of 3, 66.7 %" ]
	"$OLDPWD/tests/house/comments.py" --most 67 planted
	! "$OLDPWD/tests/house/comments.py" --most 66 planted
}

@test "every loop stands in the list of loops" {
	run comm -23 <(sed -n 's/^BEGIN_LOOP[ \t]*\([a-z]\w*\)$/\1/p' probes/*/*.S | sort) \
		<(sed -n 's/^LOOP(\(\w*\),.*/\1/p' probes/*/*loops.inc | sort)
	[ -z "$output" ] || { echo "no *loops.inc has $output"; false; }
}

# What clang-format does differs from version to version: 14 is what Debian 12 has.
@test "clang-format has nothing to change" {
	clang-format --version 2>/dev/null | grep -q "version 14\." || skip "no clang-format 14"
	git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
}

# Objects with flags or inputs of their own: a file that is renamed without its rule loses them.
@test "every object that the makefiles name is of a source that is there" {
	for object in $(cat Makefile tests/*/rules.mk | grep -oE '(lib|engine|probes|kernel|efi|linux|page)/[a-z0-9_/]+\.o\b'); do
		compgen -G "${object%.o}.[cS]" >/dev/null || { echo "no source of $object"; bad=1; }
	done
	[ -z "${bad:-}" ]
}
