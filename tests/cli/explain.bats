#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic explain: it explains what the READMEs of the probes have, and nothing else. That these have every value and
# variant of a result, tests/house/docs.bats checks.

load helper

# items TREE: "PROBE NAME" of every variant and value of its READMEs.
items() {
	for sort in "What is timed" Values; do
		awk -v sort="$sort" -f tests/house/readme_items.awk "$1"/probes/*/README.md
	done | cut -d' ' -f1-2 | sort
}

# The same of what `anechoic explain` lists.
listed() {
	"$anechoic" explain | awk '
		/^[a-z]/ { probe = $1; sub(/:/, "", probe); next }
		{ sub(/^ *(variants|values): /, ""); gsub(/,/, ""); for (i = 1; i <= NF; i++) print probe, $i }' | sort
}

@test "the list has every variant and value of the READMEs, and no other" {
	[ "$(listed | wc -l)" -ge 300 ]
	diff <(items .) <(listed)
	mkdir -p "$dir/probes"
	cp -r probes/mlp "$dir/probes"
	sed -i 's/^- `chains`: /- `chans`: /' "$dir/probes/mlp/README.md"
	diff <(items "$dir") <(listed | grep '^mlp') >"$dir/found" && return 1
	grep -qx '< mlp chans' "$dir/found"
	grep -qx '> mlp chains' "$dir/found"
}

@test "everything in the list is explained: what it is, the probe and its question, what misleads, where more is" {
	while read -r probe name; do
		"$anechoic" explain "$probe:$name" >"$dir/text" || { echo "$probe:$name: exit code $?"; return 1; }
		grep -qE "^(Value|Variant) of probe $probe: " "$dir/text" && grep -qE "^  (.*, )?$name\b" "$dir/text" &&
			grep -q "^The probe's question:" "$dir/text" && [ "$(grep -c '^  - ' "$dir/text")" -ge 1 ] &&
			grep -q "^More: .*probes/$probe/README.md" "$dir/text" || { cat "$dir/text"; echo "of $probe:$name"; bad=1; }
	done < <(listed)
	[ -z "${bad:-}" ]
}

@test "a probe is explained by all of its README, without Markdown's marks, for a terminal" {
	for probe in $("$anechoic" run --list | awk '!NF { exit } NR > 1 { print $1 }'); do
		"$anechoic" explain "$probe" >"$dir/text"
		sed -n '/^'"$probe"': /,$p' "$dir/text" >"$dir/readme" # before it: variants of the same name
		[ "$(grep -cxE 'What is timed|What misleads, and what is done' "$dir/readme")" = 2 ] || { echo "$probe: headings"; bad=1; }
		! grep -v '^    ' "$dir/readme" | grep -E '[`|]|\]\(|^#|.{80}|\*\*|(^| )\*[[:alpha:]]' || { echo "in $probe"; bad=1; }
		# Every word of the README, in its order.
		words "probes/$probe/README.md" >"$dir/there"
		words "$dir/readme" >"$dir/here"
		diff "$dir/there" "$dir/here" || { echo "of $probe"; bad=1; }
	done
	[ -z "${bad:-}" ]
}

# The letters and digits of a text, a word a line; not the addresses of links.
words() {
	sed -zE 's/\]\([^)]*\)/]/g' "$1" | grep -oE '[[:alnum:]_]+'
}

@test "a row is explained as show prints it; a variant of several probes by each; names together" {
	fixture a
	exits 0 'Variant of probe latency: ' "$anechoic" explain "$("$anechoic" show "$dir/a.ndjson" | grep -m1 '^  pointer ')"
	exits 0 'Value of probe latency: ' "$anechoic" explain "$("$anechoic" show "$dir/a.ndjson" | grep -m1 '^  l1d_bytes ')"
	exits 0 'Variant of probe latency: ' "$anechoic" explain 'latency pointer-padded, the sweep over bytes'
	exits 0 'clock: time stamps' "$anechoic" explain 'clock: time stamps, TSC rate'
	"$anechoic" explain read >"$dir/text"
	[ "$(grep -c '^Variant of probe' "$dir/text")" = "$(items . | grep -c ' read$')" ]
	[ "$(grep -c '^Variant of probe' "$dir/text")" -ge 2 ]
	exits 0 'Value of probe mlp' "$anechoic" explain l2_bytes parallel_misses
}

@test "an unknown name: what may be meant, exit code 2, and the others are explained" {
	exits 2 "unknown name 'l2_byte': did you mean 'l2_bytes'?" "$anechoic" explain l2_byte
	exits 2 "unknown name 'latncy': did you mean 'latency'?" "$anechoic" explain latncy
	exits 2 "unknown name 'mlp:chans': did you mean 'chains'?" "$anechoic" explain mlp:chans
	exits 2 "unknown name 'mlp:read'" "$anechoic" explain mlp:read
	exits 2 "unknown name ''; \`anechoic explain\` lists all" "$anechoic" explain ''
	exits 2 'Value of probe latency' "$anechoic" explain nothing-of-the-kind l2_bytes
	exits 2 'No space left' sh -c '"$anechoic" explain >/dev/full'
}

@test "a program without the documents explains, and the completion knows the names" {
	cp "$anechoic" "$dir/alone"
	cd "$dir"
	diff <(./alone explain mlp) <("$anechoic" explain mlp)
	cd "$OLDPWD"
	source tools/package/completions/anechoic
	COMP_WORDS=("$anechoic" explain parallel_misses_4) COMP_CWORD=2
	_anechoic
	[ "${COMPREPLY[*]}" = parallel_misses_4k ]
	COMP_WORDS=("$anechoic" explain lat) COMP_CWORD=2
	_anechoic
	[ "${COMPREPLY[*]}" = latency ]
}
