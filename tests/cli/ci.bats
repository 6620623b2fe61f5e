#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The gate of docs/ci.yml, on made results: what passes, what fails, what it cannot judge.

load helper

# results FACTOR CPU: three runs a side, those of `after` slower by the factor.
results() {
	mkdir -p "$dir/results"
	ln -sfn "$PWD" "$dir/after"
	for run in 1 2 3; do
		fixture results/before-$run bare 1.00$run "$2"
		fixture results/after-$run bare "$1$run" "$2"
	done
}

# gate: runs the step of the workflow, as its shell does.
gate() {
	sed -n '/^      - name: gate/,/^      - uses/{s/^          //p}' "$PWD/docs/ci.yml" >"$dir/gate.sh"
	[ "$(wc -l <"$dir/gate.sh")" -ge 5 ]
	(cd "$dir" && LIMIT=10% bash -e gate.sh) 2>&1
}

@test "the example for CI: as fast passes, slower fails, an emulator only warns" {
	results 1.00 "X 1"
	run gate
	[ "$status" = 0 ] || { echo "as fast: $status: $output"; return 1; }
	grep -q '<figure' "$dir/results/report.html"
	results 1.30 "X 1"
	run gate
	[ "$status" = 1 ] && [[ $output == *"slower"* ]] || { echo "slower: $status: $output"; return 1; }
	results 1.30 QEMU
	run gate
	[ "$status" = 0 ] && [[ $output == *"::warning::cannot judge"* && $output == *EMULATED* ]] ||
		{ echo "emulated: $status: $output"; return 1; }
}
