# SPDX-License-Identifier: MIT
# What the machines of tests/kam/backend have, and whether a result says so.

# All kinds of rows that there are without AVX-512, each of them judged.
rows='any integer vector load store branch add-waiting vector-waiting load-waiting store-waiting'
values='integers_in_flight vectors_in_flight loads_in_flight stores_in_flight branches_in_flight
	adds_waiting vectors_waiting loads_waiting stores_waiting'

# measured MACHINE.ini OPTION...: by $probes, or all rows, into $result, judged into $output; nothing is wrong.
measured() {
	local machine=$1
	shift
	build/kam --cpu "$machine" --image build/BOOTX64.EFI --probes "${probes:-backend}" --out "$result" \
		"$@"
	run build/kam --check "$machine" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
}

# right SUFFIX: all rows and values, with this behind their names.
right() {
	local name
	for name in $rows; do
		printf '%s\n' "$output" | grep -q "^backend:$name$1 .*rows ok$" ||
			{ echo "expected 'backend:$name$1 ... rows ok', came: $output"; return 1; }
	done
	for name in $values; do
		printf '%s\n' "$output" | grep -qE "^$name$1 .* ok" ||
			{ echo "expected '$name$1 ... ok', came: $output"; return 1; }
	done
}

# found: each value of the probe that is known: its number, "N+": so many or more, and what ends.
found() {
	jq -r 'select(.kind == "summary" and .probe == "backend" and .value != null) |
		"\(.value)\(if .high == null then "+ " + .form else "" end)"' "$result"
}
