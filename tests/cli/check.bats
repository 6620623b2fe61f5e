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

# of_board FILE MEMBER...: a result of the probes that speak of the firmware, and its text for the maker, to $dir/text.
# A member is "+PROBE:VARIANT {PARAMS}, {MORE}", a row; "+NAME VALUE LOW HIGH", a summary value; or NAME=VALUE, as above.
of_board() {
	local file=$1
	shift
	results_by "$dir/$file" "$@" <<-'END'
		import ast
		members = {"smbios": {"system": "Maker Laptop", "board": "Maker Board", "firmware_vendor": "Vendor",
		                      "firmware_version": "F9", "firmware_date": "01/02/2026"}, "time_utc": "20260304T050607Z",
		           "profile": "full", "host": {"serial": "SN4711"},
		           "topology": [{"id": 2 * n, "package": 0} for n in range(7)]}
		members |= {name: ast.literal_eval(value)
		            for name, value in (m.split("=", 1) for m in sys.argv[2:] if m[0] != "+")}
		result = Result(members.pop("room", "bare"), **members)
		for name, rest in (m[1:].split(" ", 1) for m in sys.argv[2:] if m[0] == "+"):
		    if ":" in name:
		        params, more = ast.literal_eval(rest)
		        ends = [value for key, value in more.items() if key.startswith(("low_", "high_"))]
		        result.row(name.split(":")[1], [sum(ends) / 2], "x", name.split(":")[0], params=params, more=more)
		    else:
		        value, low, high = map(float, rest.split())
		        result.add("summary", name=name, value=value, low=low, high=high, unit="x", confidence=0.9)
		result.write(sys.argv[1])
	END
	build/anechoic check --issue "$dir/$file" | sed -n '/^## For the maker/,$p' | tr -s ' \n' ' ' >"$dir/text"
	cat "$dir/text"
}

# says TEXT...: the text for the maker has these, in whatever lines.
says() {
	local text
	for text; do
		grep -qF -- "$text" "$dir/text" || { echo "the text lacks: $text"; return 1; }
	done
}

@test "for the maker of the board: offsets, rates, TSC_ADJUST, SMIs and gaps beyond a limit, each with its source" {
	offsets=()
	for cpu in 1 2 3 4 5 6; do
		offsets+=("+skew:offset {'cpu': $cpu}, {'low_ns': -231000, 'high_ns': -229000}")
	done
	of_board bad.ndjson "${offsets[@]}" "+skew:drift {'cpu': 1}, {'low_ppm': 2.5, 'high_ppm': 3.5}" \
		"+skew:adjust {'cpus': 7}, {'least_ticks': -7, 'most_ticks': 42}" \
		"+smm:watch {}, {'smis': 42, 'observed_seconds': 120}" '+smis_per_second 0.35 0.2 0.5' \
		'+smi_length_ns 174046 1 2' '+smi_longest_ns 2612080 1 2' '+smi_stolen_ppm 5589.8 1 2' '+smi_period_ns 47899997 1 2' \
		"+noise:gaps {}, {'observed_seconds': 60, 'longest_ns': 99000, 'threshold_ns': 130, 'events': [[1, 5, 0], [9, 99000, 1]]}" \
		'+noise_gaps_above_10us 7 7 7' '+noise_gaps_above_150us 0 0 0'
	says '- System: Maker Laptop - Board: Maker Board - Firmware: Vendor F9, of 01/02/2026 - Processor: X 1, model 85; CPUs: 2' \
		'room bare (without an operating system, interrupts off), profile full, 2026-03-04, 2 s' \
		"- ABOVE THE LIMIT: offset of the CPUs' time stamp counters, rate of the CPUs' time stamp counters, TSC_ADJUST" \
		'- above the limit for real-time use: gaps' \
		'6 of 6 CPUs differ from CPU 0 for certain; CPU 1 (APIC id 2, package 0) is 230 us behind (229 us to 231 us); CPU 2' \
		'CPU 4 (APIC id 8, package 0) is 230 us behind (229 us to 231 us); and 2 more.' \
		'check_tsc_warp, arch/x86/kernel/tsc_sync.c' '1 of 1 CPUs differ from CPU 0 for certain; CPU 1' 'is 3 ppm faster (2.5 ppm to 3.5 ppm).' \
		'from -7 to 42 ticks on 7 CPUs.' 'TSC ADJUST differs within socket(s)' \
		'42 in 120 s: 0.35 a second (0.2 to 0.5), half of them take 174 us or less, one every 47.9 ms; together they take 5590 ppm' \
		'The longest of any took 2.612 ms. - Limit: 150 us, "to minimize risk of OS timeouts" (Intel, BIOS' \
		'7 above 10 us and 0 above 150 us in 60 s on one CPU. The longest of any took 99 us. An SMI was counted' \
		'`probes = skew,smm,noise`'
	! grep SN4711 "$dir/text"
}

@test "for the maker of the board: where nothing was seen the bound is said, and what was not measured" {
	of_board good.ndjson "+skew:offset {'cpu': 1}, {'low_ns': -40.5, 'high_ns': 38}" \
		"+skew:adjust {'cpus': 2}, {'least_ticks': 0, 'most_ticks': 0}" \
		"+smm:watch {}, {'smis': 0, 'observed_seconds': 120}" '+smis_per_second 0 0 0.025' \
		"+noise:gaps {}, {'observed_seconds': 60, 'longest_ns': 0, 'threshold_ns': 130.4}"
	says "- nothing seen, to the bound stated: offset of the CPUs' time stamp counters, SMIs (system management interrupts), gaps" \
		"- not measured: rate of the CPUs' time stamp counters" 'TSC_ADJUST (MSR 3Bh): within the limits - Found: 0 ticks on 2 CPUs.' \
		'between CPU 0 and 1 other; there may be one of 40.5 ns at most.' 'none in 120 s; fewer than 0.025 a second.' \
		'none above 130.4 ns in 60 s.'
	! grep -i 'above the limit' "$dir/text"
}

@test "for the maker of the board: nothing uncounted is called an SMI, nothing of Linux or a hypervisor the firmware's" {
	of_board uncounted.ndjson "+smm:watch {}, {'observed_seconds': 10}" '+common_gaps_per_second 2 1 3' \
		"+smm:common-length {}, {'longest_ns': 310000}"
	says 'SMIs are not counted on this machine. Gaps that all CPUs had at once, as an SMI makes them, in 10 s: 2 a second' \
		'The longest of any took 310 us.' 'SMIs (system management interrupts): ABOVE THE LIMIT'
	of_board packages.ndjson 'topology=[{"id": 0, "package": 0}, {"id": 1, "package": 1}]' \
		"+skew:adjust {'cpus': 2}, {'least_ticks': 0, 'most_ticks': 42}" \
		"+noise:gaps {}, {'observed_seconds': 1, 'gaps': 9000, 'longest_ns': 4000, 'threshold_ns': 130, 'events': [[1, 4000, 2]]}"
	says 'TSC_ADJUST (MSR 3Bh): not known' 'which of them are in one package was not kept' \
		'gaps (a CPU executes nothing): within the limits - Found: 9000 in 1 s. The longest of any took 4 us. - Limit'
	of_board linux.ndjson room='"hosted"' 'os={"kernel": "6.1"}' \
		"+noise:gaps {}, {'observed_seconds': 1, 'longest_ns': 8e6, 'threshold_ns': 130}"
	says 'under Linux, which corrects some' 'gaps (a CPU executes nothing): not known' 'only the image can tell'
	of_board guest.ndjson hypervisor='"KVMKVMKVM"' "+noise:gaps {}, {'observed_seconds': 1, 'longest_ns': 8e6}"
	says 'VIRTUAL: nothing can be said of a board or its firmware.'
	of_board emulator.ndjson emulated=True "+noise:gaps {}, {'observed_seconds': 1, 'longest_ns': 8e6}"
	says 'EMULATED: nothing can be said'
	! grep Found "$dir/text"
	made other.ndjson
	[[ $(build/anechoic check --issue "$dir/other.ndjson") != *maker* ]]
}

@test "no file, a file that is none, a damaged one: exit code 2" {
	exits 2 'anechoic check: no file' build/anechoic check
	echo x >"$dir/none.ndjson"
	exits 2 'none.ndjson' build/anechoic check "$dir/none.ndjson"
	made cut.ndjson
	sed -i '2d' "$dir/cut.ndjson"
	exits 2 '13 passed, 1 to look at, 0 FAILED' build/anechoic check "$dir/cut.ndjson" # no row counts SMIs now
}
