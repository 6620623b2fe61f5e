#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic anonymize: what tells the machine is out, all else is as it was, and the result is whole.

load helper

setup() {
	program
	results_by "$dir/mine.ndjson" <<-'END'
		result = Result("bare", host={"uuid": "11112222", "serial": "SN4711", "mac": "52-54-00-12-34-56"}, run_id="my-lab",
		                config_errors=["line 2: server = 10.9.8.7: no", "line 3: x"], memory_bytes=1.5e9)
		result.row("pointer", [1, 2.5, 3], params={"bytes": 1024})
		result.write(sys.argv[1])
		second = Result("firmware", run_id="my-lab")
		second.row("pointer", [1, 2, 3])
		second.write(sys.argv[1] + ".2")
	END
	cat "$dir/mine.ndjson.2" >>"$dir/mine.ndjson"
}

@test "identity is out, every other byte of every member is as it was, and each checksum holds" {
	exits 0 '' build/anechoic anonymize "$dir/mine.ndjson" --out "$dir/public.ndjson"
	run grep -E '11112222|SN4711|52-54|my-lab|10\.9\.8\.7|line 3' "$dir/public.ndjson"
	[ "$status" = 1 ]
	build/anechoic show "$dir/public.ndjson" >/dev/null 2>"$dir/said" # reads and checks all of it
	[ ! -s "$dir/said" ]
	[ "$(jq -c 'select(.kind == "run") | [.host, .run_id]' "$dir/public.ndjson" | sort -u)" = '[null,null]' ]
	[ "$(jq -c 'select(.room == "bare" and .kind == "run") | .config_errors' "$dir/public.ndjson")" = \
		'["(not shown)","(not shown)"]' ]
	diff <(jq -c 'del(.host, .run_id, .config_errors, .crc, .crc_all)' "$dir/mine.ndjson") \
		<(jq -c 'del(.host, .run_id, .config_errors, .crc, .crc_all)' "$dir/public.ndjson")
}

@test "an output that is there stays; a damaged file is written as far as it is valid: exit code 2" {
	echo kept >"$dir/public.ndjson"
	exits 2 "cannot write '$dir/public.ndjson': File exists" \
		build/anechoic anonymize "$dir/mine.ndjson" --out "$dir/public.ndjson"
	[ "$(cat "$dir/public.ndjson")" = kept ]
	sed -i '2s/pointer/Pointer/' "$dir/mine.ndjson"
	exits 2 'mine.ndjson:2:' build/anechoic anonymize "$dir/mine.ndjson" --out "$dir/rest.ndjson"
	[ "$(wc -l <"$dir/rest.ndjson")" = 5 ]
	exits 2 'no file; see' build/anechoic anonymize
	exits 2 'No such file' build/anechoic anonymize "$dir/none.ndjson"
}
