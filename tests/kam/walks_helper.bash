# SPDX-License-Identifier: MIT
# What the machines of tests/kam/walks have, and whether a result says so.

load rows_helper

probe=walks
asked=(--probes walks)
rows='code-pages'
values='itlb_4k_entries itlb_miss_cycles'

# walked SIZE...: rows and values of walks by pages of these sizes are asked for, too.
walked() {
	local size
	rows='cr3 invlpg code-pages'
	for size; do
		values+=" walk_leaf_${size}_cycles walk_root_${size}_cycles walk_memory_${size}_cycles"
	done
}

# edits MACHINE.ini VALUES RULE...: of these rows, and of each of so many values, others are noticed.
edits() {
	tests/kam/row_edits.py "$1" "$result" "$BATS_TEST_TMPDIR/rows" "${@:3}"
	tests/kam/value_edits.py "$1" "$result" "$BATS_TEST_TMPDIR/edit" walks "$2" 1.03
}
