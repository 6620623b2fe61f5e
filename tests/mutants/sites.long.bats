#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Of all mutations of the tree, which takes many seconds: what the sampler, a long test as well, is told to leave out.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	sites=tests/mutants/sites.py
}

@test "every explained mutation is one that the sources still have" {
	$sites >"$BATS_TEST_TMPDIR/all"
	python3 -B - "$BATS_TEST_TMPDIR/all" <<-'END'
	import json, sys
	sys.path.insert(0, "tests/mutants")
	import sites
	there = {json.loads(line)["meaning"] for line in open(sys.argv[1])}
	reasons = sites.harmless()
	if len(reasons) < 100:
	    sys.exit(f"harmless.txt: expected at least 100 mutations, came {len(reasons)}")
	for meaning, reason in reasons.items():
	    if meaning not in there:
	        sys.exit(f"harmless.txt explains what is not there: {meaning}")
	    if len(reason) < 20:
	        sys.exit(f"harmless.txt does not say why: {meaning}")
	END
}
