#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic run where the kernel tells less than usual, or the wrong thing: a mount namespace of its
# own hides or replaces what is in /proc and /sys.

load helper

setup() {
	program
	unshare -m true 2>/dev/null || skip "no mount namespace of our own here"
	export quick="--profile smoke --memory 64m --probe clock:rdtsc --out $out"
}

# inside COMMANDS: a shell in the namespace.
inside() {
	unshare -m sh -ec "$1"
}

of_run() { # jq's filter of the run line
	jq -c "select(.kind == \"run\") | $1" "$dir/out.ndjson"
}

@test "without /sys what only it tells is unknown" {
	inside 'mount -t tmpfs none /sys; $anechoic run $quick >/dev/null'
	python3 tests/cli/check_result.py "$dir/out.ndjson" complete
	for member in machine governor frequency_driver turbo isolated nohz_full smt thp clocksource mitigations; do
		[ "$(of_run .os.$member)" = '"unknown"' ] ||
			{ echo "$member: expected unknown, got $(of_run .os.$member)"; return 1; }
	done
	[ "$(of_run '.os.kernel == "unknown"')" = false ]
	[ "$(of_run .cpu.microcode)" = null ]
}

@test "without /proc it measures, and says that no page was verified" {
	inside 'mount -t tmpfs none /proc; $anechoic run $quick >/dev/null'
	python3 tests/cli/check_result.py "$dir/out.ndjson" complete
	[ "$(of_run '[.os.arenas[].how] | unique')" = '["unverified"]' ]
	[ "$(jq -c 'select(.kind == "end").os | [.interrupts, .steal_s, .waited_s]' "$dir/out.ndjson")" = "[null,null,null]" ]
}

@test "a TSC that Linux does not trust is timed, and the screen and the run line say so" {
	sed 's/ constant_tsc//; s/ nonstop_tsc//' /proc/cpuinfo >"$dir/cpuinfo"
	echo acpi_pm >"$dir/clocks"
	sed 's/tsc=unstable//' /proc/cmdline >"$dir/cmdline"
	run inside 'mount --bind $dir/clocks /sys/devices/system/clocksource/clocksource0/available_clocksource
		mount --bind $dir/cpuinfo /proc/cpuinfo
		mount --bind $dir/cmdline /proc/cmdline
		$anechoic run $quick'
	[ "$status" -eq 0 ]
	[ "$(of_run .os.tsc_doubt)" = '"no constant_tsc"' ]
	echo quiet tsc=unstable >"$dir/cmdline"
	run inside 'mount --bind $dir/clocks /sys/devices/system/clocksource/clocksource0/available_clocksource
		mount --bind $dir/cmdline /proc/cmdline
		$anechoic run $quick --force'
	[ "$status" -eq 0 ]
	[[ $output == *"Linux does not trust the TSC (tsc=unstable);"$'\n'"timed here, asleep and at work, its rate is steady to "*" ppm"* ]]
	run awk 'length > 80' <<<"$output"
	[ -z "$output" ]
	[ "$(of_run .os.options)" = '"tsc=unstable"' ]
}
