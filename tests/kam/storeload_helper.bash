# SPDX-License-Identifier: MIT
# For tests of `storeload`: its rows and values, and what is asked of a result.

load rows_helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

# As many rows of the probe as there are without AVX, each of them judged.
rows='forward other-register same-register larger larger-vector overlap two-stores forward-line
	forward-page alias apart load load-line load-page store store-line store-page sizes'
values='store_forward_cycles store_forward_same_cycles store_forward_fail_cycles alias_4k_cycles
	split_line_cycles split_page_cycles'

probe=storeload
asked=(--profile full --every-row --probes clock:core-clock,storeload)

# unresolved MACHINE.ini: its values of the probe that are not resolved, in their order.
unresolved() {
	tests/kam/machine_with.py "$1" 'expect.every_value=by the rules: all is default' |
		sed '/^\[expect\]/,${/^\[expect\]/b; /^every_value/b; d}' >"$ini"
	measured "$ini"
	jq -r 'select(.kind == "summary" and .probe == "storeload" and .value == null) | .name' "$result" |
		tr '\n' ' '
}
