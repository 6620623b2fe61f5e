#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# CONTRIBUTING.md's recipes name the files that a change needs. recipe.long.bats follows the one for a probe, builds,
# and runs the house tests on the result.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

@test "the example of a probe compiles, and its README and lists name what its code has" {
	mkdir -p "$BATS_TEST_TMPDIR/probes"
	for list in probes/probes.inc probes/values.inc; do
		{ cat $list; recipe_lines | sed -n "s|^$list *||p"; } >"$BATS_TEST_TMPDIR/$list"
	done
	gcc -fsyntax-only -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers \
		-I"$BATS_TEST_TMPDIR" -I. -Ibuild tests/house/example/*.c
	grep -q '^# `example`: ' tests/house/example/README.md
	for name in $(grep -oE '"[a-z_]+"' tests/house/example/example.c | tr -d '"' | grep -vx 'n\|ns'); do
		grep -q "^- \`$name\`" tests/house/example/README.md || { echo "the README lacks $name"; return 1; }
	done
}

# recipe_lines: "FILE LINE" of each list that a probe has a line in.
recipe_lines() {
	sed -n '/^<!-- lines of a probe/,/^[^ <]/s/^    //p' CONTRIBUTING.md
}

# lists FILE...: which of these files name every probe of the registry.
lists() {
	sed -n 's/^PROBE(\([a-z]*\),.*/\1/p' probes/probes.inc >"$BATS_TEST_TMPDIR/probes.txt"
	awk -v probes="$BATS_TEST_TMPDIR/probes.txt" '
		BEGIN { while ((getline name <probes) > 0) { known[name]; n++ } }
		FNR == 1 { delete seen; count = 0 }
		{
			gsub(/[^a-z0-9_-]+/, " ")
			m = split($0, word, " ")
			for (i = 1; i <= m; i++)
				if ((word[i] in known) && !(word[i] in seen)) { seen[word[i]]; if (++count == n) print FILENAME }
		}' "$@" | sort
}

@test "every file that lists all probes stands in the recipe for a probe, and what stands there lists them" {
	lists $(git ls-files ':!probes/*/*' ':!CHANGELOG.md' ':!*.ndjson' ':!docs/pictures') >"$BATS_TEST_TMPDIR/lists"
	cat "$BATS_TEST_TMPDIR/lists"
	sed -n '/^## Adding a probe/,/^## Adding a loop/p' CONTRIBUTING.md >"$BATS_TEST_TMPDIR/recipe"
	while read -r file; do
		grep -qF "$file" "$BATS_TEST_TMPDIR/recipe" || { echo "the recipe lacks $file"; bad=1; }
	done <"$BATS_TEST_TMPDIR/lists"
	while read -r file line; do
		[ "$file" = probes/values.inc ] || grep -qxF "$file" "$BATS_TEST_TMPDIR/lists" || { echo "$file does not list all probes"; bad=1; }
		[[ $line == *example* ]] || { echo "no line of the example: $file $line"; bad=1; }
	done < <(recipe_lines)
	[ "$(recipe_lines | wc -l)" -ge 3 ]
	[ -z "${bad:-}" ]
}

@test "a list of probes that the recipe lacks is found" {
	sed -n 's/^PROBE(\([a-z]*\),.*/X(\1)/p' probes/probes.inc >"$BATS_TEST_TMPDIR/planted.inc"
	[ "$(lists "$BATS_TEST_TMPDIR/planted.inc")" = "$BATS_TEST_TMPDIR/planted.inc" ]
	sed -i 1d "$BATS_TEST_TMPDIR/planted.inc"
	[ -z "$(lists "$BATS_TEST_TMPDIR/planted.inc")" ]
}

# lacking TEXT: "NAME: FILE" of each file that a row of "Adding other things" lacks: it names what the first column
# has as an example. Uses of a setting, and documents that only speak of it, are not edits of a table.
lacking() {
	sed -n '/^## Adding other things/,/^## Commits/p' "$1" | grep -E '^\| [^|]*: `[^`|]*` \|' |
		while IFS='|' read -r _ what files _; do
			name=${what##*: \`} name=${name%%\`*}
			git grep -lwF -- "$name" -- ':!tests' ':!probes' ':!CHANGELOG.md' ':!CONTRIBUTING.md' | while read -r file; do
				[[ $files == *"\`$file\`"* ]] && continue
				[[ $files == *"where it is used"* && $file == *.[ch] || $file == tools/bench ]] && continue
				echo "$name: $file"
			done
		done
}

@test "the other recipes name every file that an entry stands in" {
	run lacking CONTRIBUTING.md
	[ -z "$output" ] || { echo "CONTRIBUTING.md lacks:"; echo "$output"; false; }
	sed 's/`docs\/format.md` `docs\/anechoic.1` |$/`docs\/format.md` |/' CONTRIBUTING.md >"$BATS_TEST_TMPDIR/planted"
	[ "$(lacking "$BATS_TEST_TMPDIR/planted")" = 'gbench: docs/anechoic.1' ]
}
