# SPDX-License-Identifier: MIT
# For the tests of `backend` on stated machines.

load ../../tests/kam/stated_helper

# All kinds of rows that there are without AVX-512.
probe=backend
asked=(--probes backend)
rows='any integer vector load store branch add-waiting vector-waiting load-waiting store-waiting'
values='integers_in_flight vectors_in_flight loads_in_flight stores_in_flight branches_in_flight
	adds_waiting vectors_waiting loads_waiting stores_waiting'
