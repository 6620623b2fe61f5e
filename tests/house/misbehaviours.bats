#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The table of misbehaviours and those who do them.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	table=tests/hostile/misbehaviours.def
}

# named FORM: the names of the table that have this form, sorted.
named() {
	sed -n "s/^M(\"\\([a-z0-9-]*\\)\", [A-Z |]*$1[A-Z |]*,.*/\\1/p" $table | sort
}

@test "every line of the table is well-formed, and its name is unique" {
	[ "$(grep -c '^M(' $table)" -ge 60 ]
	! grep '^M(' $table | grep -vE '^M\("[a-z0-9-]+", (KAM|EFI|KAM \| EFI), "[^"]+", "[^"]+", "[^"]*", "[^"]+"\)$'
	! sed -n 's/^M("\([a-z0-9-]*\)".*/\1/p' $table | sort | uniq -d | grep .
}

@test "hostile.efi does what the table says, and nothing else" {
	diff <(named EFI) <(sed -n 's/^\t{ "\([a-z0-9-]*\)", .*begin\|^\t{ "\([a-z0-9-]*\)", .*},$/\1\2/p' \
		tests/hostile/wrap_*.c | sort)
}

@test "every misbehaviour before a real firmware has a boot test" {
	! named EFI | while read -r name; do
		grep -hoE '^@test "[a-z0-9, -]+:' tests/boot/*.bats | grep -qE "[\" ]$name[,:]" || echo "$name"
	done | grep .
}

@test "docs/testing.md has the outcome of every misbehaviour" {
	tools/misbehaviour-table --check
}
