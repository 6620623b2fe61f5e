# SPDX-License-Identifier: MIT
# What the tests of the program share: it is $anechoic, and their files go to $dir.

setup() {
	program
}

program() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export anechoic=$PWD/build/anechoic dir=$BATS_TEST_TMPDIR out=$BATS_TEST_TMPDIR/out.ndjson
}

# exits CODE TEXT COMMAND...: runs it and expects that exit code, and the text in its output.
exits() {
	local code=$1 text=$2
	shift 2
	run "$@"
	[ "$status" -eq "$code" ] || { echo "expected exit $code, got $status: $output"; return 1; }
	[[ $output == *"$text"* ]] || { echo "expected '$text', got: $output"; return 1; }
}

# fixture NAME [ROOM [FACTOR [CPU [DISTURBED]]]]: a small complete result, $dir/NAME.ndjson.
fixture() {
	python3 tests/cli/fixture.py "$dir/$1.ndjson" "${@:2}"
}

# results_by ARGUMENT...: results that Python on standard input makes; it has Result of
# made_result.py, and sys.
results_by() {
	PYTHONPATH=tests/cli python3 -c 'import sys
from made_result import Result
exec(sys.stdin.read())' "$@"
}
