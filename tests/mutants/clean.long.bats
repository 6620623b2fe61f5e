#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the sampler asks passes where nothing is mutated.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

@test "what the machine is asked of a probe's own rows is right before anything is mutated" {
	python3 -B - <<-'END'
	import pathlib, sys, types
	sys.path.insert(0, "tests/mutants")
	import checks
	tree = types.SimpleNamespace(path=pathlib.Path("."))
	for probe in checks.OF_PROFILE:
	    for check in checks.of_profile(probe):
	        wrong = check(tree)
	        if wrong:
	            sys.exit(f"{probe}: expected nothing wrong, came: {wrong}")
	END
}
