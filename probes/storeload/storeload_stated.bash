# SPDX-License-Identifier: MIT
# For the tests of `storeload` on stated machines.

load ../../tests/kam/stated_helper

# As many rows of the probe as there are without AVX.
probe=storeload
asked=(--profile full --every-row --probes clock:core-clock,storeload)
rows='forward other-register same-register larger larger-vector overlap two-stores forward-line
	forward-page alias apart load load-line load-page store store-line store-page sizes'
values='store_forward_cycles store_forward_same_cycles store_forward_fail_cycles alias_4k_cycles
	split_line_cycles split_page_cycles'
