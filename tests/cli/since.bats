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
	grep -qE '^Since old \(! more than the doubt of both\)$' <<<"$output"
	grep -qE '^L1 ns +1 +1\.5 -33\.3 %!$' <<<"$output"
	grep -qE '^differs: memory modules DDR5-6000, was DDR5-4800$' <<<"$output"
}

@test "of several runs in a file the one of that room; of another room or machine none, and it says so" {
	cat "$dir/old" "$dir/hosted" >"$dir/both"
	exits 0 '' build/anechoic show --since "$dir/both" "$dir/new"
	grep -qE '^L1 ns +1 +1\.5 -33\.3 %!$' <<<"$output"
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

# Dell's UUID of a board without a service tag: which machine it is, is one answer in every command.
@test "two boards with the same placeholder for a UUID are two machines everywhere" {
	results_by "$dir" <<-'END'
		def made(name, room, mac, ns, tsc):
		    result = Result(room, host={"uuid": "4c4c4544-0000-2010-8020-80c04f202020", "serial": "Not Applicable", "mac": mac},
		                    smbios={"board": "X99"}, tsc_hz=tsc)
		    result.row("pointer", [ns, ns * 1.1], params={"bytes": 4096})
		    result.add("summary", name="l1d_latency_cycles", probe="latency", value=ns, unit="cycles", confidence=1)
		    result.write(f"{sys.argv[1]}/{name}.ndjson")
		made("a", "bare", "02-00-00-00-00-0a", 4.0, 2500000000)
		made("b", "bare", "02-00-00-00-00-0b", 6.0, 2400000000)
		made("hosted", "hosted", "02-00-00-00-00-0b", 6.0, 2400000000)
	END
	run build/anechoic check "$dir/a.ndjson" "$dir/hosted.ndjson"
	run ! grep -q "in room" <<<"$output"
	exits 0 "a.ndjson has no run of room bare of this machine" build/anechoic show --since "$dir/a.ndjson" "$dir/b.ndjson"
	run build/anechoic compare --fleet "$dir/a.ndjson" "$dir/b.ndjson"
	grep -q "^2 machines, 2 runs" <<<"$output"
	exits 0 '' build/anechoic report "$dir/a.ndjson" "$dir/hosted.ndjson" --out "$dir/page.html"
	grep -q "<h1>.* | " "$dir/page.html" # pictures of several, side by side
}
