#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic run, as a user meets it. No test looks at how long anything takes.

load helper

setup() {
	program
	quick="--profile smoke --memory 16m --probe clock:rdtsc --out /dev/null"
	long="--profile full --memory 16m --probe latency"
}

# check FILE STATUS: see check_result.py
check() {
	python3 tests/cli/check_result.py "$@"
}

# Waits until the file has lines of measured rows: then the run is in the middle of its work.
await_rows() {
	for _ in $(seq 6000); do
		[ "$(grep -c '"kind":"row"' "$1" 2>/dev/null)" -ge 3 ] && return
		kill -0 $! || break
		sleep 0.1
	done
	echo "no rows in $1: the run ended, or hangs" >&2
	return 1
}

refused() { # because option...
	exits 2 "$1" "$anechoic" run "${@:2}"
}

@test "--list names every probe of the registry" {
	run "$anechoic" run --list
	[ "$status" -eq 0 ]
	for probe in $(sed -n 's/^PROBE(\([a-z]*\),.*/\1/p' probes/probes.inc); do
		grep -q "^$probe " <<<"$output" || { echo "missing: $probe"; return 1; }
	done
}

@test "mistakes in the command line are named" {
	refused "must be one of smoke, default, full" --profile fast
	refused "did you mean '--profile'" --profole smoke
	refused "'nothing': no such probe; there are $(sed -n 's/^PROBE(\([a-z]*\),.*/\1/p' probes/probes.inc | paste -sd, | sed 's/,/, /g')" --probe clock,nothing
	refused "needs a value" --out
	refused "options only" smoke
	refused "no such" --probe ""x
	refused "may not use that CPU" --cpu 8000
	refused "cannot write '/no/such/place'" $quick --out /no/such/place
}

@test "a run writes a complete result and tables" {
	run "$anechoic" run $quick --out "$out"
	[ "$status" -eq 0 ]
	[[ $output == *rdtsc* ]]
	[[ $output != *'"kind"'* ]]
	check "$out" complete
}

@test "a variant that no probe has is a mistake before anything is measured" {
	refused "probe = 'clock:rdtzc': this profile has no variant of that name here" --profile smoke \
		--memory 64m --probe clock:rdtsc,clock:rdtzc --out "$out"
	[ ! -e "$out" ]
	echo precious >"$out"
	refused "probe = 'clock:rdtzc'" --profile smoke --memory 64m --probe clock:rdtzc --force --out "$out"
	[ "$(cat "$out")" = precious ]
}

@test "a run that is refused leaves the file as it was" {
	echo precious >"$out"
	refused "may not use that CPU" --cpu 8000 --force --out "$out"
	refused "at least 16 MiB" --memory 8m --force --out "$out"
	[[ $output != *SAVED* ]]
	[ "$(cat "$out")" = precious ]
	refused "may not use that CPU" --cpu 8000 --runs 2 --out "$dir/new.ndjson"
	[[ $output != *SAVED* && $output != *"is kept"* ]]
	! compgen -G "$dir/new*"
}

@test "two runs do not write one file" {
	"$anechoic" run $long --out "$out" >/dev/null 3>&- &
	await_rows "$out"
	refused "another run is writing it" $quick --out "$out"
	kill -INT $!
	wait $! || true
	check "$out" interrupted
}

@test "without --cpu the first CPU that may be used is measured" {
	last=$(($(nproc --all) - 1))
	taskset -c $last "$anechoic" run $quick --out "$out" >/dev/null
	[ "$(jq 'select(.kind == "run").os.cpu' "$out")" = $last ]
	refused_there="$(taskset -c $last "$anechoic" run $quick --cpu 8000 2>&1)" && return 1
	[[ $refused_there == *"may not use that CPU"* ]]
}

# As on a machine with isolcpus: its processes may use a CPU that they do not inherit.
@test "a CPU that the run did not inherit is tried" {
	last=$(($(nproc --all) - 1))
	taskset -c 0 "$anechoic" run $quick --cpu $last --out "$out" >/dev/null
	[ "$(jq 'select(.kind == "run").os.cpu' "$out")" = $last ]
	[ "$(jq -c 'select(.kind == "run") | [.topology[].id] | sort | unique == [0, $last] or $last == 0' --argjson last $last "$out")" = true ]
}

@test "a row from which Linux moves the run to another CPU is given up" {
	last=$(($(nproc --all) - 1))
	[ $last -gt 0 ] || skip "one CPU"
	"$anechoic" run $long --cpu $last --out "$out" >/dev/null 3>&- &
	await_rows "$out"
	until grep -q '"Linux moved this run from CPU '$last' to CPU 0"' "$out"; do
		kill -0 $! || break
		taskset -pc 0 $! >/dev/null
		sleep 0.3
	done
	kill -INT $! || true
	wait $! || true
	grep -q '"kind":"skip".*Linux moved this run from CPU '$last' to CPU 0"' "$out"
}

@test "a closed standard output is an error, and nothing is mixed into the result" {
	run bash -c "$anechoic run $quick --out $out >&-"
	[ "$status" -eq 2 ]
	[[ $output == *"standard output failed: Bad file descriptor"* ]]
	run grep -vc '^{"kind":"' "$out"
	[ "$output" = 0 ]
}

@test "--out - gives NDJSON on standard output and tables on standard error" {
	"$anechoic" run $quick --out - >"$out" 2>"$BATS_TEST_TMPDIR/err"
	check "$out" complete
	grep -q rdtsc "$BATS_TEST_TMPDIR/err"
}

@test "a progress line on a terminal: what, how far, how long" {
	script -qec "$anechoic run $quick" /dev/null >"$BATS_TEST_TMPDIR/screen" </dev/null
	grep -qaE $'\r\033\\[Krow [0-9]+, at most [0-9]+ s left to measure: clock [a-z0-9-]+' "$BATS_TEST_TMPDIR/screen"
}

@test "a progress line of a series: nothing is to come after the last run" {
	cd "$BATS_TEST_TMPDIR"
	script -qec "$anechoic run $quick --runs 2 --out a" /dev/null >screen </dev/null
	grep -aqE 'row [0-9]+, run 1 of 2, about [0-9]+ s left of all: clock' screen
	grep -aqE 'row [0-9]+, run 2 of 2, at most [0-9]+ s left to measure: clock' screen
}

@test "without probes the card is what is printed, and it fits the last screen; -q prints nothing" {
	cd "$dir"
	"$anechoic" run --profile smoke --memory 64m --out card.ndjson >text 2>err
	[ "$(wc -l <text)" -lt 60 ]
	sed -n '/^The machine as measured/,$p' text >card
	[ "$(wc -l <card)" -le 24 ]
	[ -z "$(awk 'length > 79' card)" ]
	for line in 'level  size' 'L1  ' 'SAVED      card.ndjson' 'NEXT  '; do
		grep -q "^$line" card || { echo "no line '$line': $(<card)"; return 1; }
	done
	[ -z "$(grep '^  variant\|^What the rows show' text)" ]
	[[ $("$anechoic" show card.ndjson) == *"What the rows show"* ]]
	[ -z "$("$anechoic" run -q $quick 2>&1)" ]
	"$anechoic" run -v $quick | grep -q '^  variant'
}

@test "no progress line where there is no terminal" {
	"$anechoic" run $quick >"$BATS_TEST_TMPDIR/text" 2>"$BATS_TEST_TMPDIR/err"
	run cat "$BATS_TEST_TMPDIR/text" "$BATS_TEST_TMPDIR/err"
	[[ $output != *$'\r'* && $output != *$'\033'* ]]
}

@test "first touches of pages are page faults, one each" {
	"$anechoic" run --profile smoke --memory 16m --probe bytouch:touch-4k --out "$out"
	python3 - "$out" <<-'EOF'
		import json, sys
		rows = [l for l in map(json.loads, open(sys.argv[1])) if l.get("variant", "").startswith("touch")]
		wrong = [r for r in rows if r["kind"] == "row" and r["counts"]["faults"] < r["samples"] * r["params"]["pages"]]
		if not rows or wrong: sys.exit(f"expected faults = samples * pages, got {wrong or 'no rows'}")
	EOF
}

@test "where transparent huge pages are off, rows have and say 4 KiB" {
	grep -q '^HugePages_Total: *0$' /proc/meminfo || skip "huge pages are reserved here"
	python3 -c 'import ctypes, os, sys
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)  # PR_SET_THP_DISABLE
os.execv(sys.argv[1], sys.argv[1:])' "$anechoic" run --profile smoke --memory 16m --page 2m \
		--probe latency:pointer --smallest 64k --largest 64k --out "$out" >"$BATS_TEST_TMPDIR/said"
	grep -q '^no 2 MiB pages: echo ' "$BATS_TEST_TMPDIR/said"
	head -1 "$out" | grep -q '"pages":\[4096\]'
	grep -q '"page_bytes":4096' "$out"
	run grep -c '"page_bytes":2097152' "$out"
	[ "$output" -eq 0 ] || { echo "expected no row with 2 MiB pages, got $output"; return 1; }
}

@test "without root everything runs and what is unknown says so" {
	[ "$(id -u)" -eq 0 ] || skip "not root to begin with: the other tests show it"
	place=$(mktemp -d)
	chmod 755 "$place"
	cp "$anechoic" "$place"
	setsid --wait setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$place/anechoic" run $quick --scheduler fifo --out - >"$out" 2>"$out.text"
	rm -r "$place"
	check "$out" complete
	head -1 "$out" | grep -q '"root":false'
	head -1 "$out" | grep -q '"scheduler":"other","scheduler_why":"not permitted, needs CAP_SYS_NICE' ||
		head -1 "$out" | grep -q '"scheduler_why":"only one CPU'
	grep -qE '^scheduler: other, not fifo: (not permitted|only one CPU)' "$out.text"
	[ "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)" = 1 ] || return 0
	head -1 "$out" | grep -q '"autogroup_nice":[-0-9]*,"autogroup_why":"not permitted, needs CAP_SYS_NICE"'
	grep -q '^other sessions have equal shares: ' "$out.text"
}

# Where Linux does not group sessions the run line does not speak of it.
@test "the session's group is first for the time of a run, or the run says why not" {
	setsid "$anechoic" run $quick --out "$out" >"$out.text"
	os=$(head -1 "$out" | jq -c .os)
	if [ "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)" != 1 ]; then
		jq -e 'has("autogroup_nice") | not' <<<"$os"
	elif jq -e 'has("autogroup_why")' <<<"$os"; then
		grep '^other sessions have equal shares: ' "$out.text"
	else
		jq -e '.autogroup_nice == -20' <<<"$os"
	fi
	# In a session of its own: in this one other tests may run, too.
	setsid --wait bash -c 'before=$(cat /proc/self/autogroup 2>/dev/null) || exit 0
		"$@" >/dev/null && [ "$(cat /proc/self/autogroup)" = "$before" ]' - \
		"$anechoic" run $quick --out /dev/null
}

@test "a run without --out keeps its result and says where; none is overwritten without --force" {
	cd "$BATS_TEST_TMPDIR"
	run "$anechoic" run ${quick% --out*}
	[ "$status" -eq 0 ]
	local file=(anechoic-????????T??????Z-*.ndjson)
	[[ $output == *"SAVED      ${file[0]}"*"anechoic report ${file[0]}"* ]] || { echo "expected its name: $output"; return 1; }
	cd - >/dev/null
	check "$BATS_TEST_TMPDIR/${file[0]}" complete
	cp "$BATS_TEST_TMPDIR/${file[0]}" "$out"
	refused "it exists; --force overwrites it" $quick --out "$out"
	cmp "$out" "$BATS_TEST_TMPDIR/${file[0]}"
	"$anechoic" run $quick --out "$out" --force
	check "$out" complete
	run cmp -s "$out" "$BATS_TEST_TMPDIR/${file[0]}"
	[ "$status" -eq 1 ]
}

@test "a full disk ends the run with a reason" {
	run "$anechoic" run $quick --out /dev/full
	[ "$status" -eq 2 ]
	[[ $output == *"writing to /dev/full failed: No space left on device"* ]]
	run bash -c "ulimit -f 1; $anechoic run $quick --force --out '$out'"
	[ "$status" -eq 2 ]
	[[ $output == *"writing to $out failed: File too large"* ]] || { echo "$output"; return 1; }
	run bash -c "$anechoic run $quick >/dev/full"
	[ "$status" -eq 2 ]
	[[ $output == *"standard output failed: No space left on device"* ]]
}

@test "a closed pipe ends the run with a reason, and what was read is whole" {
	{ "$anechoic" run $long --out - 2>"$BATS_TEST_TMPDIR/err" || echo $? >"$BATS_TEST_TMPDIR/code"; } |
		head -3 >"$out"
	check "$out" cut
	[ "$(cat "$BATS_TEST_TMPDIR/code")" -eq 2 ]
	grep -q "standard output failed: Broken pipe" "$BATS_TEST_TMPDIR/err"
}

@test "SIGINT and SIGTERM write an end line and exit with 130" {
	for signal in INT TERM; do
		# A background job of a shell without job control ignores SIGINT: env restores it.
		env --default-signal=INT "$anechoic" run $long --out "$out" >/dev/null 3>&- &
		await_rows "$out"
		kill -"$signal" $!
		code=0
		wait $! || code=$?
		[ "$code" -eq 130 ] || { echo "$signal: expected 130, got $code"; return 1; }
		check "$out" interrupted
		rm "$out"
	done
}

@test "an interruption gives up the row under way, and keeps the others and their values" {
	env --default-signal=INT "$anechoic" run --profile full --probe latency --out "$out" \
		>"$BATS_TEST_TMPDIR/text" 3>&- &
	# A long row: to prepare its chain and walk through it takes many times the grace.
	for _ in $(seq 6000); do
		[ "$(jq -s 'map(select(.variant == "pointer-padded").params.bytes) | max // 0' "$out" 2>/dev/null || echo 0)" \
			-ge 134217728 ] && break
		kill -0 $! || break
		sleep 0.1
	done
	kill -STOP $!
	before=$(grep -c '"kind":"row"' "$out")
	kill -INT $!
	kill -CONT $!
	code=0
	wait $! || code=$?
	[ "$code" -eq 130 ]
	check "$out" interrupted
	[ "$(grep -c '"kind":"row"' "$out")" -le $((before + 1)) ]
	grep -q '"kind":"summary".*"name":"l1d_latency_ns".*"value":[0-9]' "$out"
	grep -q 'The machine as measured in room hosted' "$BATS_TEST_TMPDIR/text"
	# No row says that it was skipped because the run ended.
	! grep '"kind":"skip"' "$out" | grep -q 'stopped\|the arena has'
}

@test "memory is made ready as rows need it, not before the first line" {
	first=67108864 # engine/room.h: ARENA_PART
	"$anechoic" run --profile smoke --probe clock:rdtsc --out "$out" >/dev/null
	arenas() { jq "select(.kind == \"$1\").os.arenas | map(.bytes) | add" "$out"; }
	[ "$(jq 'select(.kind == "run").arena_bytes' "$out")" -gt $first ] || skip "there is too little memory"
	[ "$(arenas run)" -le $first ]
	[ "$(arenas end)" -le $first ]
	rm "$out"
	"$anechoic" run --profile smoke --probe shuffle --smallest 128m --largest 128m --out "$out" >/dev/null
	[ "$(arenas run)" -le $first ]
	[ "$(arenas end)" -gt $first ]
	[ "$(arenas end)" -lt "$(jq 'select(.kind == "run").arena_bytes' "$out")" ]
}

@test "--runs N: a file for each run, numbered; none of them may be there" {
	cd "$BATS_TEST_TMPDIR"
	refused "cannot write 'a.b/q-1'" --runs 2 --out a.b/q
	mkdir a.b
	"$anechoic" run $quick --runs 2 --out a.b/q >text
	grep -qx 'run 1 of 2: a.b/q-1' text
	grep -qx 'run 2 of 2: a.b/q-2' text
	for k in 1 2; do
		python3 "$OLDPWD/tests/cli/check_result.py" a.b/q-$k complete
		[ "$(head -n 1 a.b/q-$k | jq -c '[.run, .runs]')" = "[$k,2]" ]
	done
	"$anechoic" compare a.b/q-1 a.b/q-2 >/dev/null
	rm a.b/q-1
	refused "cannot write 'a.b/q-2': it exists" --runs 2 --out a.b/q
	[ ! -e a.b/q-1 ]
	refused "runs = '0': must be 1 to 99" --runs 0
	"$anechoic" run $quick --runs 2 --out - >both 2>/dev/null
	[ "$(grep -c '"kind":"run"' both)" = 2 ]
	"$anechoic" run $quick --runs 2 >/dev/null
	[ ! -e /dev/null-1 ]
	"$anechoic" run ${quick% --out*} --runs 2 >/dev/null
	ls anechoic-*Z-*-1.ndjson anechoic-*Z-*-2.ndjson
}

@test "a run that is killed leaves its session no priority over others" {
	grep -qx 1 /proc/sys/kernel/sched_autogroup_enabled || skip "Linux does not group sessions here"
	[ "$(id -u)" = 0 ] || skip "a group's nice value needs CAP_SYS_NICE"
	cat >"$BATS_TEST_TMPDIR/session" <<-'EOF'
		"$@" >/dev/null 2>&1 &
		until grep -q 'nice -20' /proc/self/autogroup; do sleep 0.05; done
		kill -KILL $!
		for _ in {1..1200}; do
			! grep -q 'nice 0' /proc/self/autogroup || exit 0
			sleep 0.05
		done
		cat /proc/self/autogroup
		exit 1
	EOF
	setsid --wait bash "$BATS_TEST_TMPDIR/session" "$anechoic" run $long --out "$out"
}

@test "an interruption of --runs keeps the runs that are done, and says so" {
	for to in process group; do
		# A process group of its own, as a terminal gives one.
		setsid env --default-signal=INT "$anechoic" run $long --runs 3 --out "$out" \
			>/dev/null 2>"$BATS_TEST_TMPDIR/err" 3>&- &
		await_rows "${out%.ndjson}-1.ndjson"
		if [ $to = group ]; then kill -INT -$!; else kill -TERM $!; fi
		code=0
		wait $! || code=$?
		[ "$code" -eq 130 ] || { echo "$to: expected 130, got $code"; return 1; }
		check "${out%.ndjson}-1.ndjson" interrupted
		[ ! -e "${out%.ndjson}-2.ndjson" ]
		grep -qF 'ended in run 1 of 3: 0 complete' "$BATS_TEST_TMPDIR/err"
		rm "${out%.ndjson}-1.ndjson"
	done
}

@test "SIGINT ends a noise scan without waiting for its end" {
	env --default-signal=INT "$anechoic" run --profile full --memory 64m --probe noise:gaps \
		--noise-seconds 600 --out "$out" >"$BATS_TEST_TMPDIR/text" 3>&- &
	for _ in $(seq 6000); do
		grep -q "^noise:" "$BATS_TEST_TMPDIR/text" && break
		kill -0 $! || break
		sleep 0.1
	done
	kill -INT $!
	timeout 300 tail --pid=$! -f /dev/null || kill -9 $! # half of what the scan would last
	code=0
	wait $! || code=$?
	[ "$code" -eq 130 ] || { echo "expected 130, got $code"; cat "$BATS_TEST_TMPDIR/text"; return 1; }
	check "$out" interrupted
	grep -q '"variant":"gaps"' "$out"
}

@test "kill -9 leaves whole lines" {
	"$anechoic" run $long --out "$out" >/dev/null 3>&- &
	await_rows "$out"
	kill -9 $!
	wait $! || true
	check "$out" cut
}
