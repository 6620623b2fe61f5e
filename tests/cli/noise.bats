#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# noise finds what a planted disturber does. The disturber says itself when it ran and for how long;
# nothing else that the machine does is judged.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	dir=$BATS_TEST_TMPDIR
	cpu=$(($(nproc) - 1))
}

@test "noise finds a disturber that runs every 10 ms for 300 us: how often and how long" {
	run build/disturb $cpu 0
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ] || { echo "disturb: exit $status: $output"; return 1; }
	# Other work on this processor may hide the disturber from a scan, not from three.
	scan_finds_disturber || scan_finds_disturber || scan_finds_disturber
}

scan_finds_disturber() {
	build/disturb $cpu 300 >"$dir/diary" &
	local disturber=$!
	build/anechoic run --profile smoke --probe noise --noise_seconds 5 --cpu $cpu --memory 64m \
		--scheduler fifo --force --out "$dir/result" >"$dir/text"
	kill $disturber
	wait $disturber
	python3 tests/cli/check_noise.py "$dir/result" "$dir/diary"
}

# busy_beside COMMAND...: runs it beside a process that never sleeps on the same CPU.
busy_beside() {
	taskset -c $cpu sh -c 'while :; do :; done' 3>&- &
	local busy=$!
	"$@"
	kill $busy
}

@test "a busy process on the same CPU is named, as root and without" {
	run build/anechoic run --profile smoke --memory 64m --probe clock:rdtsc --out "$dir/any"
	[ "$(jq '.os.waited_s // empty' "$dir/any")" ] || skip "this kernel does not count waiting"
	install -m 755 build/anechoic "$dir/anechoic"
	chmod 755 "$dir" "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test"
	for user in 0 65534; do
		[ "$(id -u)" -eq 0 ] || [ $user = 65534 ] || continue
		become=()
		[ "$(id -u)" -ne 0 ] || become=(setpriv --reuid $user --regid $user --clear-groups)
		busy_beside "${become[@]}" "$dir/anechoic" run --profile smoke --memory 64m --probe noise:quanta,latency \
			--cpu $cpu --scheduler fifo --out - >"$dir/busy-$user" 2>/dev/null
		run build/anechoic compare --all "$dir/busy-$user" "$dir/busy-$user"
		[[ $output == *"waiting while others ran"*"<- DISTURBED: other work ran on this CPU"* ]] ||
			{ echo "user $user: expected it to be named, got: $output"; return 1; }
	done
}
