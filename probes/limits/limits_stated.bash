# SPDX-License-Identifier: MIT
# For the tests of `limits` on stated machines.

load ../../tests/kam/stated_helper

probe=limits
asked=(--probes limits)
rows='nop add lea imul shl load-64 load-128 store-64 store-128 load-store branch-not-taken branch-taken
	vector-128 mix'
values='issue_width adds_per_cycle multiplies_per_cycle loads_per_cycle stores_per_cycle'

# Seven wide: five adds, of them two shifts and four addresses; one and a half multiplications; three
# loads and two stores, but four together; of 16 bytes two loads and one store.
seven='tests/kam/mutations/quick.ini core.width=7 core.alus=5 core.loads=3 core.stores=2
	core.multipliers=3 limits.multiply_every=2 limits.shifts=2 limits.leas=4 limits.branches=2
	limits.vectors=3 limits.taken=2 limits.wide_loads=2 limits.wide_stores=1 limits.accesses=4
	limits.commits=2'

# Five wide: three adds, of them one shift, two addresses, one branch; two thirds of a
# multiplication; two stores issue, but one is written.
five='tests/kam/cpus/small.ini core.width=5 core.alus=3 core.loads=2 core.stores=2
	core.multipliers=2 limits.multiply_every=3 limits.shifts=1 limits.leas=2 limits.branches=1
	limits.vectors=2 limits.taken=3 limits.wide_loads=1 limits.accesses=3'
