# SPDX-License-Identifier: MIT
# exits CODE TEXT COMMAND...: runs it and expects that exit code, and the text in its output.
exits() {
	local code=$1 text=$2
	shift 2
	run "$@"
	[ "$status" -eq "$code" ] || { echo "expected exit $code, got $status: $output"; return 1; }
	[[ $output == *"$text"* ]] || { echo "expected '$text', got: $output"; return 1; }
}
