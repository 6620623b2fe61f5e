# SPDX-License-Identifier: MIT
# For tests of the image on machines that misbehave, in layer b of the known-answer machine.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	ini=tests/kam/mutations/quick.ini
	result=$BATS_TEST_TMPDIR/result
	said=$BATS_TEST_TMPDIR/said
}

# hostile NAMES [OPTION...]: the image from power-on to the end. What it said is in $said; status 0
# if a complete result came home.
hostile() {
	status=0
	rm -f "$result"
	build/kam --layer b --cpu $ini --image "${image:-build/BOOTX64.EFI}" --probes clock:core-clock \
		--out "$result" --hostile "$@" >"$said" 2>&1 || status=$?
	tr -d '\r' <"$said" >"$said.lines"
}

# came: what a failed test shows.
came() {
	echo "$1; exit code $status, came:"
	grep '^start ' "$said"
	tail -40 "$said.lines" | grep -v '^start '
	return 1
}

# ends HOW...: how each start ended.
ends() {
	printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/expected"
	sed -n 's/^start [0-9]*: //p' "$said.lines" >"$BATS_TEST_TMPDIR/ended"
	cmp -s "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/ended" ||
		came "expected starts that end: $(printf '"%s" ' "$@")"
}

# says PATTERN...: each is in a line of what the image said.
says() {
	for pattern in "$@"; do
		grep -qE "$pattern" "$said.lines" || came "expected a line: $pattern" || return
	done
}

# never_says PATTERN
never_says() {
	! grep -E "$1" "$said.lines" || came "expected no line: $1"
}

# measured [ROOM]: the result is complete, and the core's clock is what the machine has.
measured() {
	[ "$status" = 0 ] || came "expected a complete result" || return
	jq -es --arg room "${1:-bare}" 'map(select(.room == $room and .name == "core_clock_hz").value /
		3.1e9) | length == 1 and .[0] > 0.998 and .[0] < 1.002' "$result" >/dev/null ||
		came "expected a core clock of 3.1 GHz: $(grep core_clock_hz "$result")"
}

# The usual course: room bare, reset, harvest, halt.
comes_home() {
	local usual="reset by ACPI's register"
	ends "${home_by:-$usual}" halted && measured &&
		says 'room bare, 1 CPU' 'is now in .results.20000101T000000Z-bare.ndjson'
}

# with_cpus N NAMES [OPTION...]: the image on a machine of N CPUs that misbehaves so.
with_cpus() {
	local n=$1
	shift
	hostile "$@" --cpus "$n"
	ends "reset by ACPI's register" halted && measured
}

# uses N PAUSE MWAIT KICKED HALT: that many CPUs were used; so the others wait, and so many missed a write.
uses() {
	local came
	came=$(jq -r 'select(.kind == "run") | "\(.cpus) \(.idle | "\(.pause) \(.mwait) \(.kicked) \(.halt)")"' "$result")
	[ "$came" = "$*" ] || came "expected CPUs, pausing, in mwait, kicked, halted: $*; came: $came"
}
