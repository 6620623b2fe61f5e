#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The known-answer machine's spikes are what noise finds: no more, no fewer, and as long.

load ../../tests/kam/stated_helper

@test "the spikes of the machine are found: count exact, lengths within 1 %; jitter below is not taken for one" {
	build/kam --cpu probes/noise/spikes.ini --image build/BOOTX64.EFI --probes noise \
		--profile smoke --out "$result"
	python3 probes/noise/check_noise.py probes/noise/spikes.ini "$result"
}

@test "a machine without spikes has no gaps, quanta take their time, and the judge notices others" {
	sed '/^\[noise\]/,/^seed/d' probes/noise/spikes.ini >"$ini"
	measured "$ini" --probes noise --profile smoke
	ok noise:{quanta,gaps,stolen,longest}' .*rows' noise_{gaps_per_second,stolen_ppm,longest_ns}
	PYTHONPATH=tests/kam python3 - "$ini" "$result" "$BATS_TEST_TMPDIR/edits" <<-'END'
		import pathlib, sys
		from result_lines import STATISTICS, judge, read, scaled
		lines = read(sys.argv[2])
		def edited(chosen, change):
		    return f"noise:{chosen}", [
		        change(l) if l["kind"] == "row" and l["variant"] == chosen else l for l in lines]
		def one_more(l):
		    return l | {k: l[k] + 1 for k in STATISTICS if l[k] is not None} | {
		        "values": [v + 1 for v in l["values"]]}
		judge(sys.argv[1], pathlib.Path(sys.argv[3]),
		      [edited("quanta", lambda l: scaled(l, 1.3)),
		       *(edited(chosen, one_more) for chosen in ("gaps", "stolen", "longest"))])
	END
}
