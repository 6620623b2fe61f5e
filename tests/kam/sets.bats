#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every machine of cpus/ is run in layer a and in layer b by one of the sets, machines-*.tap, unless
# its file says in a line "; layer a only: REASON" why layer b cannot.

setup() {
	cd "$BATS_TEST_DIRNAME" || return
}

# "LAYER NAME" of every machine that some set runs; those with EDITS run it as well.
listed() {
	local set
	for set in machines-*.tap; do
		LIST=yes "./$set" || { echo "./$set: failed" >&2; return 1; }
	done
}

# unrun FILE.ini...: which of these machines no set runs, by standard input, as lines of "NAME: WHY".
unrun() {
	local lines ini name
	lines=$(cat)
	for ini; do
		name=$(basename "$ini" .ini)
		grep -qxF "a $name" <<<"$lines" || echo "$name: no set runs it in layer a"
		if grep -qE '^; layer a only: .{20,}' "$ini"; then
			! grep -qxE "(b|both) $name" <<<"$lines" ||
				echo "$name: 'layer a only', and a set runs it in layer b"
		else
			grep -qxE "(b|both) $name" <<<"$lines" || echo "$name: no set runs it in layer b"
		fi
	done
}

@test "every machine is run in both layers, or its file says why not" {
	listed >"$BATS_TEST_TMPDIR/listed"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/listed")" -ge 70 ]
	run unrun cpus/*.ini <"$BATS_TEST_TMPDIR/listed"
	[ -z "$output" ] || { echo "$output"; return 1; }
}

@test "a set runs no machine that is not there" {
	listed | cut -d' ' -f2 | sort -u | while read -r name; do
		[ -e "cpus/$name.ini" ] || { echo "$name: has no file in cpus/"; return 1; }
	done
}

@test "a machine that no set runs is named, with the layer" {
	echo '[core]' >"$BATS_TEST_TMPDIR/new.ini"
	echo '; layer a only: loops of several cores run in layer a alone' >"$BATS_TEST_TMPDIR/one.ini"
	echo '; layer a only: no' >"$BATS_TEST_TMPDIR/why.ini"
	run unrun "$BATS_TEST_TMPDIR"/{new,one,why}.ini < <(printf '%s\n' 'b new' 'a one' 'both one' 'a why')
	[ "$output" = "new: no set runs it in layer a
one: 'layer a only', and a set runs it in layer b
why: no set runs it in layer b" ] || { echo "$output"; return 1; }
}
