# SPDX-License-Identifier: MIT
# For the tests of `walks` on stated machines.

load ../../tests/kam/stated_helper

probe=walks
asked=(--probes walks)
rows='code-pages'
values='itlb_4k_entries itlb_miss_cycles'

# with_walks SIZE...: also walks by pages of these sizes, which layer b has.
with_walks() {
	local size
	rows='cr3 invlpg code-pages'
	for size; do
		values+=" walk_leaf_${size}_cycles walk_root_${size}_cycles walk_memory_${size}_cycles"
	done
}
