#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Who takes the CPU is named.

load helper

setup() {
	program
	cpu=$(($(nproc) - 1))
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
