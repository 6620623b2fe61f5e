#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# anechoic check: the list, what goes into an issue, exit codes. What it finds: tests/unit/linux/command_check_test.c.

load helper

# made FILE [MEMBER...]: a complete result of one row; each member is Python's NAME=VALUE of the run line.
made() {
	local file=$1
	shift
	results_by "$dir/$file" "$@" <<-'END'
		import ast
		members = {"tsc_sources": [{"name": "pm", "hz": 2500000000, "claimed": False}], "tsc_source": "pm",
		           "speed": {"ratio": 25}, "memory_type": {"write_back": True}, "may_be": ""}
		members |= {name: ast.literal_eval(value) for name, value in (m.split("=", 1) for m in sys.argv[2:])}
		result = Result(members.pop("room", "bare"), **members)
		result.row("pointer", [1, 2, 3], params={"bytes": 1024}, counts={"smis": 0})
		result.add("summary", name="l1d_latency_cycles", value=4, unit="cycles", confidence=0.9)
		for name, value in (("l1d_bytes", 32768), ("l2_bytes", 262144), ("noise_stolen_ppm", 3)):
		    result.add("summary", name=name, value=value, unit="B", confidence=0.9, claimed=value, agrees=True)
		result.write(sys.argv[1])
	END
}

@test "the list of a result, its last line, and exit code 0" {
	made good.ndjson
	exits 0 '14 passed, 0 to look at, 0 FAILED' build/anechoic check "$dir/good.ndjson"
	[[ $output == *'room bare, build v1'* ]]
	[[ $output == *$'\n  pass  the run      complete: 1 rows, 4 values, 0 skipped'* ]]
}

@test "exit code 1 where something FAILED, whichever file it is in" {
	made good.ndjson
	made bad.ndjson room='"hosted"' emulated=True
	exits 1 '  FAIL  silicon      EMULATED: its times mean nothing' \
		build/anechoic check "$dir/good.ndjson" "$dir/bad.ndjson"
	[[ $output == *'1 FAILED'* ]]
}

@test "rooms of one machine are held against one another" {
	made bare.ndjson
	made linux.ndjson room='"hosted"' tsc_hz=2515000000
	exits 0 'Between the rooms' build/anechoic check "$dir/bare.ndjson" "$dir/linux.ndjson"
	[[ $output == *'  look  rooms        time stamps run at 2500.000 MHz in room bare'* ]]
	exits 0 '14 passed' build/anechoic check "$dir/bare.ndjson"
	[[ $output != *'Between the rooms'* ]]
}

@test "--issue has what was found and the card, and nothing that tells which machine it was" {
	made secret-host.ndjson 'host={"uuid": "11112222-3333", "serial": "SN4711", "mac": "52-54-00-12-34-56"}' \
		'config_errors=["anechoic.cfg line 2: server = 10.9.8.7: no such thing"]' 'run_id="my-lab"' \
		'smbios={"board": "Maker Board", "firmware_version": "F9"}' tsc_invariant=False
	exits 0 '- look, time stamps: not invariant by CPUID' build/anechoic check --issue "$dir/secret-host.ndjson"
	[[ $output == *'- look, settings: (not shown)'* ]]
	[[ $output == *'Maker Board, F9'* ]]
	[[ $output == *'level  size '* ]]
	[[ $output != *pass* ]]
	for secret in 11112222 SN4711 52-54-00 10.9.8.7 my-lab secret-host; do
		[[ $output != *$secret* ]] || { echo "$secret is in it: $output"; return 1; }
	done
}

@test "no file, a file that is none, a damaged one: exit code 2" {
	exits 2 'anechoic check: no file' build/anechoic check
	echo x >"$dir/none.ndjson"
	exits 2 'none.ndjson' build/anechoic check "$dir/none.ndjson"
	made cut.ndjson
	sed -i '2d' "$dir/cut.ndjson"
	exits 2 '13 passed, 1 to look at, 0 FAILED' build/anechoic check "$dir/cut.ndjson" # no row counts SMIs now
}
