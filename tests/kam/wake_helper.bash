# SPDX-License-Identifier: MIT
# For tests of `wake` on the machines of tests/kam/wake, in layer b.

load rows_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	asked=(--layer b --profile full --probes wake)
	probe=wake
	rows='store-pause store-mwait interrupt-pause interrupt-hlt interrupt-mwait nmi-hlt clock-hlt clock-mwait
		timer-pause timer-hlt'
	values='wake_hlt_ns wake_mwait_ns wake_clock_ns wake_timer_ns'
}

# all PARAMETER [VARIANT]: the values of the parameter that rows have, in order.
all() {
	jq -r "select(.kind == \"row\" and (.variant | test(\"${2:-.}\"))).params.$1 // empty" "$result" |
		sort -nu | xargs
}
