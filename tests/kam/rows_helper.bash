# SPDX-License-Identifier: MIT
# For tests of a probe whose rows and values a machine of tests/kam states: $probe, $rows, $values, and in
# the array $asked what the machine is run with.

# measured MACHINE.ini OPTION...: into $result, judged into $output; nothing is wrong.
measured() {
	build/kam --cpu "$1" --image build/BOOTX64.EFI --out "$result" "${asked[@]}" "${@:2}"
	run build/kam --check "$1" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
}

# right SUFFIX: all rows and values, with this behind their names.
right() {
	local name
	for name in $rows; do
		printf '%s\n' "$output" | grep -q "^$probe:$name$1 .*rows ok$" ||
			{ echo "expected '$probe:$name$1 ... rows ok', came: $output"; return 1; }
	done
	for name in $values; do
		printf '%s\n' "$output" | grep -qE "^$name$1 .* ok" ||
			{ echo "expected '$name$1 ... ok', came: $output"; return 1; }
	done
}
