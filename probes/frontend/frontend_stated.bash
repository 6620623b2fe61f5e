# SPDX-License-Identifier: MIT
# For the tests of `frontend` on stated machines.

load ../../tests/kam/stated_helper

probe=frontend
asked=(--probes frontend)
rows='dense six short long jump-inside jump-end'
values='op_cache_ops op_cache_ops_per_cycle l1i_bytes fetch_l1i_bytes_per_cycle
	fetch_l2_bytes_per_cycle jcc_erratum'
