#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A value that is not resolved is excused where a rule of the judge and the machine's own file both
# say so, and nowhere else.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
	cp tests/kam/mutations/quick.ini "$BATS_FILE_TMPDIR/plain.ini"
	sed 's/^\[expect\]$/[branch]\npredictor = perfect\n&/' tests/kam/mutations/quick.ini \
		>"$BATS_FILE_TMPDIR/perfect.ini"
	measure plain clock:core-clock,latency:pointer-padded,branch:penalty
	measure perfect branch:penalty
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

measure() { # machine, probes
	build/kam --cpu "$BATS_FILE_TMPDIR/$1.ini" --image build/BOOTX64.EFI --probes "$2" \
		--out "$BATS_FILE_TMPDIR/$1" >"$BATS_FILE_TMPDIR/$1.log" 2>&1 ||
		{ tail -3 "$BATS_FILE_TMPDIR/$1.log"; return 1; }
}

# Judges the result of a machine whose [expect] has one more line.
judge() { # machine, line
	{ cat "$BATS_FILE_TMPDIR/$1.ini"; echo "$2"; } >"$BATS_TEST_TMPDIR/ini"
	run build/kam --check "$BATS_TEST_TMPDIR/ini" "$BATS_FILE_TMPDIR/$1"
}

expect_line() { # extended regular expression
	printf '%s\n' "$output" | grep -qE "$1" && return
	printf 'expected a line like: %s\ngot, with exit code %s:\n%s\n' "$1" "$status" "$output"
	return 1
}

excused() { # machine, line
	judge "$1" "$2"
	expect_line '^mispredict_cycles +not resolved ok: ' &&
		expect_line ' 0 wrong, 0 not resolved, 1 excused, ' && [ "$status" = 0 ]
}

wrong() { # machine, line, name, why
	judge "$1" "$2"
	expect_line "^$3 .*WRONG: .*$4" && expect_line ' 0 excused, ' && [ "$status" = 1 ]
}

refused() { # line, why
	judge plain "$1"
	expect_line "^kam: expect\..*$2" && [ "$status" = 3 ]
}

@test "what a rule excuses and the machine's file states is excused, and counted" {
	excused perfect 'mispredict_cycles = not resolved: there are no mispredictions'
	excused perfect 'mispredict_cycles = not resolved in layer a: there are none'
	excused perfect 'mispredict_cycles = not resolved in profile smoke: there are none'
	expect_line '^mispredict_cycles +not resolved ok: there are none$'
}

@test "what a rule excuses and the machine's file does not state is wrong, with the rule" {
	wrong perfect '' mispredict_cycles 'does not state that; a rule: random branches cost as much'
	wrong perfect 'mispredict_cycles = not resolved in layer b: there are none' \
		mispredict_cycles 'does not state'
	wrong perfect 'mispredict_cycles = not resolved in profile default: there are none' \
		mispredict_cycles 'does not state'
}

@test "the file of a machine that was drawn leaves it to the rules" {
	excused perfect 'every_value = by the rules: drawn at random'
	expect_line '^mispredict_cycles +not resolved ok: random branches cost as much'
	tests/kam/random-machine 1 | grep -q '^every_value = by the rules: '
}

@test "what is stated, though no rule says so, is wrong" {
	wrong plain 'mispredict_cycles = not resolved: it is said' mispredict_cycles 'no rule'
	wrong plain 'memory_latency_ns = not resolved: it is said' memory_latency_ns 'no rule'
}

@test "what is stated and was resolved is wrong, also where a rule allows either" {
	wrong plain 'l2_bytes = not resolved: few points' l2_bytes 'expected "not resolved"'
	judge plain ''
	expect_line '^l2_bytes +expected .* ok$'
}

@test "a statement that says something else ends the judge, with its name" {
	refused 'mispredict_cycles = lost: it is said' "mispredict_cycles: must be 'not resolved: "
	refused 'mispredict_cycles = not resolved in room bare: no' 'mispredict_cycles: .* neither'
	refused 'mispredict_cycles = not resolved in layer c: no' 'mispredict_cycles: .* neither'
	refused 'l9_bytes = not resolved: there is none' 'l9_bytes: no expected value has this name'
	refused 'every_value = not resolved: all' "every_value: must be 'by the rules: '"
}
