#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tools/test-all, on a small tree of its own: what it runs, in which order, and what it counts.

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p tools tests probes build/san/tests/unit
	cp "$top/tools/test-all" tools
	program tests/good.tap 'echo 1..2; echo ok 1; echo "ok 2 # SKIP because"'
	program tests/slow.long.tap 'echo 1..1; echo ok 1'
	program build/san/tests/unit/add_test 'echo 1..1; echo ok 1'
}

# program PATH COMMANDS: an executable that does this.
program() {
	printf '#!/bin/sh\n%s\n' "$2" >"$1"
	chmod +x "$1"
}

# counts LINE STATUS: the last line of the last `run`, and its exit code.
counts() {
	echo "$output"
	[ "${lines[-1]}" = "$1" ] || { echo "expected at the end: $1"; return 1; }
	[ "$status" = "$2" ] || { echo "expected exit code $2, got $status"; return 1; }
}

@test "the last line counts all programs; the long set runs only with --long" {
	run tools/test-all
	counts "2 passed, 0 failed, 1 skipped" 0
	run tools/test-all --long
	counts "3 passed, 0 failed, 1 skipped" 0
	[ "$(tools/test-all --list | grep -c long)" = 0 ]
	[ "$(tools/test-all --long --list | grep -c long)" = 1 ]
}

@test "a failure, a crash, an early end and silence count as failed, and are shown in full" {
	program tests/bad.tap 'echo 1..1; echo "not ok 1 - its name"; echo its reason'
	program tests/crash.tap 'echo 1..1; echo ok 1; kill -SEGV $$'
	program tests/early.tap 'echo 1..3; echo ok 1'
	program tests/silent.tap 'true'
	run tools/test-all
	counts "4 passed, 5 failed, 1 skipped" 1
	[[ $output == *"its reason"* ]]
}

@test "what hangs is ended" {
	program tests/hang.tap 'echo 1..1; sleep 600'
	TEST_SECONDS=1 run tools/test-all tests/hang.tap
	counts "0 passed, 1 failed" 1
}

@test "the slowest ten stand before the last line, in order" {
	for i in $(seq 12); do
		program tests/t$i.tap 'echo 1..1; echo ok 1'
	done
	program tests/slow.tap 'echo 1..1; sleep 2; echo ok 1'
	run tools/test-all
	counts "15 passed, 0 failed, 1 skipped" 0
	[ "${lines[-12]}" = "The slowest, in seconds:" ]
	printf '%s\n' "${lines[@]:(-11):10}" | grep -q tests/slow.tap
	printf '%s\n' "${lines[@]:(-11):10}" | sort -s -c -k1,1nr
}

@test "what took longest the last time is started first; else the kind of program decides" {
	printf '%s\n' '7.5 build/san/tests/unit/add_test' '2.0 tests/good.tap' >build/test-seconds
	program tests/new.tap true
	[ "$(tools/test-all --long --list | tr '\n' ' ')" = \
		"tests/slow.long.tap tests/new.tap build/san/tests/unit/add_test tests/good.tap " ]
	tools/test-all tests/good.tap
	grep -q '^7.5 build/san/tests/unit/add_test$' build/test-seconds # not run now: kept
	! grep -q '^2.0 tests/good.tap$' build/test-seconds
}

@test "two runs at once leave each other alone; the next one removes their logs" {
	program tests/waits.tap 'echo 1..1; until [ -e go ]; do sleep 0.1; done; echo ok 1'
	program tests/bad.tap 'echo 1..1; echo "not ok 1 - its name"'
	tools/test-all tests/good.tap tests/waits.tap >first 2>&1 &
	local first=$! log
	until find build/test -name tests-waits.tap.log | grep .; do sleep 0.1; done
	run tools/test-all tests/bad.tap
	counts "0 passed, 1 failed" 1
	log=$(printf '%s\n' "$output" | sed -n 's/.*; end of //p')
	grep -q 'its name' "$log"
	touch go
	wait $first
	[ "$(tail -1 first)" = "2 passed, 0 failed, 1 skipped" ]
	tools/test-all tests/good.tap
	[ ! -e "$log" ]
	[ "$(ls build/test | wc -l)" = 1 ]
}
