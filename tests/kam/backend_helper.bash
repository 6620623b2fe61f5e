# SPDX-License-Identifier: MIT
# What the machines of tests/kam/backend have, and whether a result says so.

load rows_helper

# All kinds of rows that there are without AVX-512, each of them judged.
rows='any integer vector load store branch add-waiting vector-waiting load-waiting store-waiting'
values='integers_in_flight vectors_in_flight loads_in_flight stores_in_flight branches_in_flight
	adds_waiting vectors_waiting loads_waiting stores_waiting'

probe=backend
asked=(--probes backend)

# found: each value of the probe that is known: its number, "N+": so many or more, and what ends.
found() {
	jq -r 'select(.kind == "summary" and .probe == "backend" and .value != null) |
		"\(.value)\(if .high == null then "+ " + .form else "" end)"' "$result"
}
