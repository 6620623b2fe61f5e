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

# planted FILE INCLUDE: the rule must refuse it.
planted() {
	mkdir -p "$BATS_TEST_TMPDIR/$(dirname "$1")"
	cd "$BATS_TEST_TMPDIR" || return
	printf '#include %s\n' "$2" >"$1"
	if "${rules[@]}" "$1"; then
		echo "$1 may include $2?"
		return 1
	fi
	cd "$OLDPWD" || return
}

@test "the dependency rule refuses each forbidden arrow" {
	planted lib/a.c '"engine/bench.h"'
	planted lib/a.c '<stdio.h>'
	planted probes/loops/a.S '"efi/loader.h"'
	planted probes/loops/a.c '"lib/math.h"'
	planted infer/a.c '"engine/bench.h"'
	planted infer/a.c '<math.h>'
	planted engine/a.c '"probes/lanes.h"'
	planted engine/a.c '"kernel/cpu/x86.h"'
	planted engine/a.c '<stdlib.h>'
	planted probes/a.c '"kernel/cpu/x86.h"'
	planted probes/branch/a.c '"linux/hosted.h"'
	planted probes/a.c '<stdio.h>'
	planted kernel/a.c '"efi/loader.h"'
	planted kernel/smp/a.c '"linux/hosted.h"'
	planted kernel/a.c '"probes/lanes.h"'
	planted kernel/a.c '<stdlib.h>'
	planted efi/a.c '"kernel/cpu/x86.h"'
	planted efi/a.c '"engine/env.h"'
	planted linux/a.c '"kernel/machine.h"'
	planted linux/a.c '"probes/lanes.h"'
	planted report/a.c '"engine/bench.h"'
	planted report/a.c '"linux/hosted.h"'
}

@test "every source file names its licence in the first line" {
	for file in $(sources); do
		head -1 "$file" | grep -q 'SPDX-License-Identifier: MIT' || { echo "$file"; bad=1; }
	done
	[ -z "${bad:-}" ]
}

@test "no file is longer than 400 lines" {
	for file in $(sources); do
		lines=$(wc -l <"$file")
		[ "$lines" -le 400 ] || { echo "$file has $lines lines"; bad=1; }
	done
	[ -z "${bad:-}" ]
}

@test "every loop stands in the list of loops" {
	for loop in $(sed -n 's/^BEGIN_LOOP[ \t]*\([a-z]\w*\)$/\1/p' probes/loops/*.S); do
		grep -q "LOOP($loop)" probes/loops/loops.inc || { echo "loops.inc lacks $loop"; bad=1; }
	done
	[ -z "${bad:-}" ]
}

# What clang-format does differs from version to version: 14 is what Debian 12 has.
@test "clang-format has nothing to change" {
	clang-format --version 2>/dev/null | grep -q "version 14\." || skip "no clang-format 14"
	git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror
}
