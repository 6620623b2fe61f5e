# SPDX-License-Identifier: MIT
# For tests of `limits`: two machines, and what is asked of a result of theirs.

load hostile_helper

rows='nop add lea imul shl load-64 load-128 store-64 store-128 load-store branch-not-taken branch-taken
	vector-128 mix'

# issued OPTIONS ROOMS MACHINE.ini EDIT...: each row, each value, on the machine with these edits.
issued() {
	local options=$1 rooms=$2
	shift 2
	tests/kam/machine_with.py "$@" >"$BATS_TEST_TMPDIR/ini"
	build/kam $options --cpu "$BATS_TEST_TMPDIR/ini" --image build/BOOTX64.EFI --probes limits \
		--out "$result" >"$said" 2>&1
	run build/kam --check "$BATS_TEST_TMPDIR/ini" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	for room in $rooms; do
		for row in $rows; do
			printf '%s\n' "$output" | grep -qE "^limits:$row$room .*rows ok$" ||
				{ echo "expected 'limits:$row$room ... rows ok', came: $output"; return 1; }
		done
		for value in issue_width {adds,multiplies,loads,stores}_per_cycle; do
			printf '%s\n' "$output" | grep -qE "^$value$room .* ok" ||
				{ echo "expected '$value$room ... ok', came: $output"; return 1; }
		done
	done
}

# Seven wide: five adds, of them two shifts and four addresses; one and a half multiplications; three
# loads and two stores, but four together; of 16 bytes two loads and one store.
seven='core.width=7 core.alus=5 core.loads=3 core.stores=2 core.multipliers=3 limits.multiply_every=2
	limits.shifts=2 limits.leas=4 limits.branches=2 limits.vectors=3 limits.taken=2
	limits.wide_loads=2 limits.wide_stores=1 limits.accesses=4 limits.commits=2'

# Five wide: three adds, of them one shift, two addresses, one branch; two thirds of a
# multiplication; two stores issue, but one is written.
five='core.width=5 core.alus=3 core.loads=2 core.stores=2 core.multipliers=2 limits.multiply_every=3
	limits.shifts=1 limits.leas=2 limits.branches=1 limits.vectors=2 limits.taken=3
	limits.wide_loads=1 limits.accesses=3'
