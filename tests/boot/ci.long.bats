#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The steps of docs/ci.yml that measure: the image in QEMU, both sides in turns. tests/cli/ci.bats has the gate.

@test "the example for CI leaves the results of both sides, one of each a turn" {
	local top=$BATS_TEST_DIRNAME/../.. ci=$BATS_TEST_TMPDIR
	make -s -C "$top" build/readable
	ln -s "$(realpath "$top")" "$ci/before"
	ln -s "$(realpath "$top")" "$ci/after"
	sed -n '/^      - name: measure/,/^      - name: gate/{s/^          //p}' "$top/docs/ci.yml" >"$ci/measure.sh"
	cd "$ci"
	RUNS=2 ROOM=bare PROFILE=smoke PROBES=ilp ACCEL=tcg bash -e measure.sh >said 2>&1 || { tail said; return 1; }
	ls results/*.ndjson | xargs -n 1 basename >names
	diff names - <<-END
		after-1.ndjson
		after-2.ndjson
		before-1.ndjson
		before-2.ndjson
	END
	for file in results/*.ndjson; do
		tail -n 1 "$file" | grep -q '"status":"complete"'
	done
}
