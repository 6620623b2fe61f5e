# SPDX-License-Identifier: MIT
# What the machines of tests/kam/indirect have, and whether a result says so.

load rows_helper

rows='order period random returns returns-random'
values='indirect_targets indirect_history indirect_history_many indirect_miss_cycles
	return_beyond_cycles return_again_cycles'

probe=indirect
asked=(--probes clock:core-clock,indirect)

# Rows whose numbers the machines state closely: not near an edge, nor of few calls.
edited='indirect:order:targets=64 indirect:order:targets=8192 indirect:period:elements=16 indirect:random
	indirect:period:elements=8192 indirect:returns:depth=96 indirect:returns-random:depth=192'
