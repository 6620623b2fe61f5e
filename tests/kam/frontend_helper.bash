# SPDX-License-Identifier: MIT
# What the machines of tests/kam/frontend take for code, and whether a result says so.

load rows_helper

rows='dense six short long jump-inside jump-end'
values='op_cache_ops op_cache_ops_per_cycle l1i_bytes fetch_l1i_bytes_per_cycle
	fetch_l2_bytes_per_cycle jcc_erratum'

probe=frontend
asked=(--probes frontend)

# found: the values of the probe, rounded to two digits behind the point; -: none.
found() {
	jq -r 'select(.kind == "summary" and .probe == "frontend") |
		if .value == null then "-" else .value * 100 | round / 100 end' "$result" | tr '\n' ' '
}
