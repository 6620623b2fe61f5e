# SPDX-License-Identifier: MIT
# For the tests of `indirect` on stated machines.

load ../../tests/kam/stated_helper

probe=indirect
asked=(--probes clock:core-clock,indirect)
rows='order period random returns returns-random'
values='indirect_targets indirect_history indirect_history_many indirect_miss_cycles
	return_beyond_cycles return_again_cycles'
