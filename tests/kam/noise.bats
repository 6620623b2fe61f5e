#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The known-answer machine's spikes are what noise finds: no more, no fewer, and as long.

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	[ -x build/kam ] || { echo "build/kam is missing: make tests"; return 1; }
}

@test "the spikes of the machine are found: count exact, lengths within 1 %; jitter below is not taken for one" {
	build/kam --cpu tests/kam/spikes.ini --image build/BOOTX64.EFI --probes noise \
		--profile smoke --out "$BATS_TEST_TMPDIR/result"
	python3 tests/kam/check_noise.py tests/kam/spikes.ini "$BATS_TEST_TMPDIR/result"
}

@test "a machine without spikes has no gaps, quanta take their time, and the judge notices others" {
	local ini=$BATS_TEST_TMPDIR/quiet.ini result=$BATS_TEST_TMPDIR/result
	sed '/^\[noise\]/,/^seed/d' tests/kam/spikes.ini >"$ini"
	build/kam --cpu "$ini" --image build/BOOTX64.EFI --probes noise --profile smoke --out "$result"
	run build/kam --check "$ini" "$result"
	printf '%s\n' "$output" | grep WRONG || true
	[ "$status" = 0 ]
	for rows in noise:quanta noise:gaps noise:stolen noise:longest; do
		printf '%s\n' "$output" | grep -q "^$rows .*rows ok$" ||
			{ echo "expected '$rows ... rows ok'"; return 1; }
	done
	for name in gaps_per_second stolen_ppm longest_ns; do
		printf '%s\n' "$output" | grep -q "^noise_$name .* ok$" ||
			{ echo "expected 'noise_$name ... ok'"; return 1; }
	done
	python3 - "$result" "$BATS_TEST_TMPDIR" <<-'END'
		import json, pathlib, sys
		sys.path.insert(0, "tests/kam")
		from result_lines import STATISTICS, scaled, write
		lines = [json.loads(text) for text in open(sys.argv[1])]
		def edited(chosen, change):
		    write(pathlib.Path(sys.argv[2]) / f"noise:{chosen}", [
		        change(l) if l["kind"] == "row" and l["variant"] == chosen else l for l in lines])
		def one_more(l):
		    return l | {k: l[k] + 1 for k in STATISTICS if l[k] is not None} | {
		        "values": [v + 1 for v in l["values"]]}
		edited("quanta", lambda l: scaled(l, 1.3))
		for chosen in ("gaps", "stolen", "longest"):
		    edited(chosen, one_more)
	END
	for name in noise:quanta noise:gaps noise:stolen noise:longest; do
		run build/kam --check "$ini" "$BATS_TEST_TMPDIR/$name"
		printf '%s\n' "$output" | grep -q "^$name .*WRONG: expected" ||
			{ echo "expected '$name ... WRONG: expected' in $BATS_TEST_TMPDIR/$name"; return 1; }
	done
}
