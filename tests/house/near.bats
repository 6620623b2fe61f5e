#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make near: which tests are near to a source.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# near FILE: the names of the programs, in $names.
near() {
	names=$(tools/near --list "$1" | sed 's|.*/||')
	echo "$names"
}

has() {
	grep -qx -- "$1" <<<"$names"
}

@test "near to a file is its own test, those that include it, and those of what uses it" {
	near linux/boot/whole_file.c
	has command_fetch_test
	near linux/report/compare/effects.c
	has effects_test
	has compare_test
	! has esp_test
}

@test "of every file of the program its own tests come first, the one of its name at the head" {
	python3 -B - <<-'END'
	import importlib.machinery, importlib.util, pathlib, subprocess, sys
	loader = importlib.machinery.SourceFileLoader("near", "tools/near")
	near = importlib.util.module_from_spec(importlib.util.spec_from_loader("near", loader))
	loader.exec_module(near)
	files = subprocess.run(["git", "ls-files", "*.c", "*.S"], check=True, capture_output=True, text=True).stdout.split()
	tests = {f for f in files if f.endswith("_test.c")}
	parts = near.objects()
	uses = near.used(parts)
	near.used = lambda parts: uses
	seen = 0
	for f in files:
	    path = pathlib.Path(f)
	    if path.parts[0] in ("tests", "tools", "efi") or f in tests:
	        continue
	    want = [t for t in (f"{path.parent}/{path.stem}_test", f"tests/unit/{path.parts[0]}/{path.stem}_test") if t + ".c" in tests]
	    came = [program.removeprefix("build/san/") for program in near.near(f, parts)]
	    topics = {t[:-2] for t in tests if pathlib.Path(t).parent in (path.parent, pathlib.Path("tests/unit", path.parts[0])) and
	              pathlib.Path(t).name.startswith(path.stem + "_")}
	    seen += bool(topics)
	    if came[:len(want)] != want or set(came[:len(topics)]) != topics:
	        sys.exit(f"{f}: expected first {want}, then {sorted(topics)}, came {came}")
	if seen < 100:
	    sys.exit(f"{seen} files have tests that are called as they are")
	END
}

@test "near to a header is what is compiled with it, near to a test is itself" {
	near tests/unit/boot_world.h
	has send_test
	[ "$(near tests/unit/linux/esp_test.c)" = esp_test ]
}

@test "near to a loop is first the decoder, then the tests that call it" {
	run tools/near --list probes/loops/chase_loops.S
	[ "${lines[0]}" = "build/kam --loops build/BOOTX64.EFI" ]
	[ "${#lines[@]}" -ge 2 ]
}

@test "of what all programs use, the twenty that use the least beside it" {
	near lib/crc32.c
	[ "$(wc -l <<<"$names")" = 20 ]
	has crc32_test
}

@test "a file that no unit program has, or that is none, is told" {
	run tools/near --list efi/variables.c
	[ "$status" = 1 ]
	[[ $output == *"no unit program has efi/variables.c"* ]]
	run tools/near --list efi/none.c
	[ "$status" = 1 ]
	[[ $output == *"no such file"* ]]
}
