#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No file uses another one that uses it, directly or by others; no room does.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$top" || return
}

# beyond_known: the lines of standard input that are no part of a line of known_cycles.
beyond_known() {
	awk '
		FILENAME != "-" { for (i = 2; i <= NF; i++) line[$1 $i] = FNR; next }
		{
			for (i = 3; i <= NF; i++)
				if (line[$1 $i] != line[$1 $2])
					line[$1 $2] = 0
			if (!line[$1 $2]) { print; found = 1 }
		}
		END { exit found }' tests/house/known_cycles -
}

@test "there is no cycle between files, and none between rooms" {
	tests/house/cycles.py >"$BATS_TEST_TMPDIR/cycles"
	beyond_known <"$BATS_TEST_TMPDIR/cycles" || {
		echo "see tests/house/cycles.py -v"
		return 1
	}
}

# object PATH CODE: a source of the planted tree, compiled.
object() {
	mkdir -p "$(dirname "$1")" "build/$(dirname "$1")"
	echo "$2" >"$1"
	gcc -c -o "build/${1%.c}.o" "$1"
}

@test "planted cycles are found" {
	cd "$BATS_TEST_TMPDIR"
	cp "$top/CONTRIBUTING.md" .
	object lib/a.c 'void b(void); void a(void) { b(); }'
	object lib/b.c 'void c(void); void b(void) { c(); }'
	object infer/c.c 'void c(void) { }'
	object probes/registry.c 'void c(void); int probes; void d(void) { c(); }'
	object engine/e.c 'extern int probes; int e(void) { return probes; }'
	[ -z "$("$top/tests/house/cycles.py")" ]
	object infer/c.c 'void a(void); void c(void) { a(); }'
	run "$top/tests/house/cycles.py"
	echo "$output"
	[ "${lines[0]}" = "files: infer/c lib/a lib/b" ]
	[ "${lines[1]}" = "rooms: infer lib" ]
	run "$top/tests/house/cycles.py" -v
	[[ $output == *"infer/c -> lib/a: a"* ]]
	rm build/lib/a.o
	run ! "$top/tests/house/cycles.py"
}
