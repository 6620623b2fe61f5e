# SPDX-License-Identifier: MIT
# For tests of a probe whose rows and values its machines state. The file that loads this one, such as
# probes/NAME/NAME_stated.bash, sets $probe; what the machine is run with, $asked; and what must come
# back right, $rows and $values.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	result=$BATS_TEST_TMPDIR/result.ndjson
	ini=$BATS_TEST_TMPDIR/machine.ini
}

# judged MACHINE.ini OPTION...: into $result, and what the judge says into $output.
judged() {
	machine=$1
	build/kam --cpu "$machine" --image build/BOOTX64.EFI --out "$result" "${asked[@]}" "${@:2}" \
		>"$result.said" 2>&1 || { tail -3 "$result.said"; return 1; }
	run build/kam --check "$machine" "$result"
}

# none_wrong [PATTERN]: nothing, or nothing of that.
none_wrong() {
	! printf '%s\n' "$output" | grep -E "^${1:-}.*WRONG"
}

# measured MACHINE.ini OPTION...: and nothing is wrong.
measured() {
	judged "$@" && none_wrong && [ "$status" = 0 ]
}

# edited MACHINE.ini SECTION.KEY=VALUE...: to $ini.
edited() {
	tests/kam/machine_with.py "$@" >"$ini"
}

# unstated MACHINE.ini SECTION.KEY=VALUE...: to $ini, which hides what the rules say.
unstated() {
	tests/kam/machine_with.py "$@" 'expect.every_value=by the rules: all is default' |
		sed '/^\[expect\]/,${/^\[expect\]/b; /^every_value/b; d}' >"$ini"
}

# ok NAME...: each is a line of what was judged, and it is right.
ok() {
	local name
	for name; do
		printf '%s\n' "$output" | grep -qE "^$name .*ok" ||
			{ echo "expected '$name ... ok', came: $output"; return 1; }
	done
}

# for_maker TEXT...: what `anechoic check --issue` writes of $result for the board's maker has these, in whatever lines.
for_maker() {
	local said text
	said=$(build/anechoic check --issue "$result" | sed -n '/^## For the maker/,$p' | tr -s ' \n' ' ')
	for text; do
		[[ $said == *"$text"* ]] || { echo "expected '$text', came: $said"; return 1; }
	done
}

# right [ROOM...]: all rows and values, in these rooms.
right() {
	local room name
	for room in "${@-}"; do
		for name in $rows; do
			ok "$probe:$name$room .*rows" || return
		done
		for name in $values; do
			ok "$name$room" || return
		done
	done
}

# in_both_rooms MACHINE.ini OPTION...: of layer b.
in_both_rooms() {
	measured "$@" --layer b --rooms both
	right @firmware @bare
}

# found: the values of the probe in their order; -: none; N+: so many or more, and what ends.
found() {
	jq -r --arg p "$probe" 'select(.kind == "summary" and .probe == $p) | if .value == null then "-" else
		"\(.value * 100 | round / 100)\(if has("high") and .high == null then "+ " + .form else "" end)" end' \
		"$result" | paste -sd,
}

# unresolved: which of them have none.
unresolved() {
	jq -r --arg p "$probe" 'select(.kind == "summary" and .probe == $p and .value == null).name' "$result" | xargs
}

# value NAME: null where it is not resolved.
value() {
	jq -r --arg n "$1" 'select(.kind == "summary" and .name == $n).value' "$result"
}

# skips [VARIANT]: the reasons of the probe's skips, each once.
skips() {
	jq -r --arg p "$probe" --arg v "${1:-}" 'select(.kind == "skip" and .probe == $p and
		($v == "" or .variant == $v)).reason' "$result" | sort -u
}

# skipped VARIANT REASON: in each room.
skipped() {
	[ "$(skips "$1")" = "$2" ] || { echo "expected that $1 is skipped: $2; came '$(skips "$1")'"; return 1; }
}

# row_edits VARIANT...: 1.3 times as much of these rows is noticed, and as little.
row_edits() {
	tests/kam/row_edits.py "$machine" "$result" "$BATS_TEST_TMPDIR/rows" "${@/#/${probe:+$probe:}}"
}

# value_edits VALUES FACTOR [MORE]: so is another number of each of so many values, or none.
value_edits() {
	tests/kam/value_edits.py "$machine" "$result" "$BATS_TEST_TMPDIR/values" "$probe" "$@"
}

# all PARAMETER: the values of the parameter that rows have, in order.
all() {
	jq -r "select(.kind == \"row\").params.$1 // empty" "$result" | sort -nu | xargs
}
