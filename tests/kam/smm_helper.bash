# SPDX-License-Identifier: MIT
# What the machines of tests/kam/smm have, and whether a result says so.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

# measured MACHINE.ini OPTION...: into $result, judged into $output; nothing is wrong.
measured() {
	local machine=$1
	shift
	build/kam --cpu "$machine" --image build/BOOTX64.EFI --profile smoke --probes smm --out "$result" "$@"
	run build/kam --check "$machine" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
}

# right NAME...: each of these lines is in $output, and ends with ok.
right() {
	local name
	for name; do
		printf '%s\n' "$output" | grep -qE "^$name .*ok" ||
			{ echo "expected '$name ... ok', came: $output"; return 1; }
	done
}

# skipped VARIANT REASON: in each room.
skipped() {
	local came
	came=$(jq -r --arg v "$1" 'select(.kind == "skip" and .variant == $v).reason' "$result" | sort -u)
	[ "$came" = "$2" ] || { echo "expected that $1 is skipped: $2; came '$came'"; return 1; }
}

# value NAME: null where it is not resolved.
value() {
	jq -r --arg n "$1" 'select(.kind == "summary" and .name == $n).value' "$result"
}

smis='smis_per_second smi_length_ns smi_longest_ns smi_stolen_ppm'
