#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic show --since: which earlier run a result stands beside. Numbers and settings: engine/infer/since_test.c.

load helper

bats_require_minimum_version 1.5.0

setup() {
	program
	results_by "$dir" <<-'END'
		def made(name, room, uuid, ns, speed):
		    result = Result(room, host={"uuid": uuid}, smbios={"memory_modules": speed})
		    result.row("pointer", [1, 2.5, 3], params={"bytes": 1024})
		    result.add("summary", name="l1d_latency_ns", probe="latency", value=ns, unit="ns", confidence=1)
		    result.write(f"{sys.argv[1]}/{name}")
		made("new", "bare", "a", 1.0, "DDR5-6000")
		made("old", "bare", "a", 1.5, "DDR5-4800")
		made("hosted", "hosted", "a", 2.0, "DDR5-4800")
		made("other", "bare", "b", 2.0, "DDR5-4800")
	END
}

@test "the value, the change and the setting stand below the card" {
	exits 0 '' build/anechoic show --since "$dir/old" "$dir/new"
	grep -qE '^Since old \(\* more than the doubt of both\)$' <<<"$output"
	grep -qE '^L1 ns +1 +1\.5 -33\.3 %\*$' <<<"$output"
	grep -qE '^differs: memory modules DDR5-6000, was DDR5-4800$' <<<"$output"
}

@test "of several runs in a file the one of that room; of another room or machine none, and it says so" {
	cat "$dir/old" "$dir/hosted" >"$dir/both"
	exits 0 '' build/anechoic show --since "$dir/both" "$dir/new"
	grep -qE '^L1 ns +1 +1\.5 -33\.3 %\*$' <<<"$output"
	for old in hosted other; do
		exits 0 '' build/anechoic show --since "$dir/$old" "$dir/new"
		grep -qxF "$old has no run of room bare of this machine" <<<"$output"
		run ! grep -q '^Since' <<<"$output"
	done
}

@test "without such a file, or beside a source's tables: exit code 2" {
	exits 2 "$dir/none" build/anechoic show --since "$dir/none" "$dir/new"
	exits 2 'leave --since out' build/anechoic show --since "$dir/old" --source R "$dir/new"
}
