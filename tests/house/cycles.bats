#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No file uses another one that uses it, directly or by others; no folder does.

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$top" || return
}

@test "there is no cycle between files, and none between folders" {
	run tests/house/cycles.py
	echo "$output"
	[ "$status$output" = 0 ]
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
	object engine/infer/c.c 'void c(void) { }'
	object probes/registry.c 'void c(void); int probes; void d(void) { c(); }'
	object engine/e.c 'extern int probes; int e(void) { return probes; }'
	[ -z "$("$top/tests/house/cycles.py")" ]
	object engine/infer/c.c 'void a(void); void c(void) { a(); }'
	run "$top/tests/house/cycles.py"
	echo "$output"
	[ "$output" = "files: engine/infer/c lib/a lib/b
    engine/infer/c -> lib/a: a
    lib/a -> lib/b: b
    lib/b -> engine/infer/c: c
folders: engine/infer lib
    engine/infer -> lib: a
    lib -> engine/infer: c" ]
	rm build/lib/a.o
	run ! "$top/tests/house/cycles.py"
}
