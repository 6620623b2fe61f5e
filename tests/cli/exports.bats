#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What anechoic export writes, read by the programs that it is for.

# compare.py is that of Debian's libbenchmark-tools.

load helper

setup() {
	program
	PATH=$PWD/build:/usr/bin:$PATH # Debian's python3, which has Debian's scipy
}

@test "Google Benchmark's compare.py: changes, aggregates, U test and geometric mean of two exports" {
	fixture metal bare
	fixture linux hosted 1.2
	for name in metal linux; do
		anechoic export --format gbench "$dir/$name.ndjson" >"$dir/$name.json"
	done
	python3 /usr/share/benchmark/compare.py --no-color --dump_to_json "$dir/difference.json" benchmarks "$dir/metal.json" \
		"$dir/linux.json" | tee "$dir/text"
	grep -E '^latency/pointer/bytes:1024/per_ops:1000000_mean +\+0\.2000 ' "$dir/text"
	grep -E '^latency/pointer/bytes:1024/per_ops:1000000_pvalue .* U Test, Repetitions: 9 vs 9' "$dir/text"
	refute_warnings "$dir/text"
	jq -e 'length == 3 * 5 + 1 and ([.[] | select(.name | endswith("_cv") | not).measurements[]]
		| all((.time - 0.2 | fabs) < 1e-6))' "$dir/difference.json"
	jq -e '[.[] | select(.run_type == "aggregate").aggregate_name] | unique
		== ["cv", "geomean", "mean", "median", "stddev"]' "$dir/difference.json"
}

refute_warnings() {
	! grep -i -e warning -e error -e nan "$1"
}

@test "Python's csv module: CPU, time, build, more and summary values, and no formula" {
	results_by "$dir" <<-'END'
		for room, second in ('firmware', 1), ('bare', 2):
		    made = Result(room, time_utc=f'20260101T00000{second}Z', build=f'v{second}', cpu={'brand': f'X {second}'})
		    for n in range(1, 9):
		        made.row('bulk', [n / 3, n / 2], params={'bytes': n}, more={'gb_per_s': round(64 / n, 6)})
		    made.add('skip', probe='tlb', reason='no time')
		    made.add('summary', name='l1d_bytes', value=32768.5, unit='bytes', confidence=1)
		    made.add('summary', name='l3_bytes', value=None, unit='bytes', confidence=0, reason='too few points')
		    made.write(f'{sys.argv[1]}/{room}.ndjson')
	END
	cat "$dir/firmware.ndjson" "$dir/bare.ndjson" >"$dir/rooms.ndjson"
	anechoic export --format csv "$dir/rooms.ndjson" >"$dir/rooms.csv"
	python3 - "$dir/rooms.csv" "$dir/rooms.ndjson" <<-'END'
		import csv, json, sys
		records = list(csv.DictReader(open(sys.argv[1], newline='')))
		lines = [json.loads(line) for line in open(sys.argv[2])]
		kinds = ('row', 'skip', 'summary')
		for kind in kinds:
		    want = sum(line['kind'] == kind for line in lines)
		    have = sum(record['kind'] == kind for record in records)
		    assert want == have > 0, f'{kind}: {want} lines, {have} records'
		assert all(None not in record and None not in record.values() for record in records)
		runs = [line for line in lines if line['kind'] == 'run']
		for key, of in (('cpu', lambda run: run['cpu']['brand']), ('time_utc', lambda run: run['time_utc']),
		                ('build', lambda run: run['build']), ('room', lambda run: run['room'])):
		    for number, run in enumerate(runs, 1):
		        have = {record[key] for record in records if record['run'] == str(number)}
		        assert have == {of(run)}, f'{key} of run {number}: {have}'
		more = [line['more']['gb_per_s'] for line in lines if 'gb_per_s' in line.get('more', {})]
		have = [float(record['more.gb_per_s']) for record in records if record['more.gb_per_s']]
		assert more and have == more, f'{have} instead of {more}'
		values = [(line['name'], line['value'], line['unit']) for line in lines if line['kind'] == 'summary']
		have = [(record['name'], float(record['value']) if record['value'] else None, record['unit'])
		        for record in records if record['kind'] == 'summary']
		assert values and have == values, f'{have} instead of {values}'
	END
}

# The indented lines of that section are commands, in this order.
@test "the examples of docs/format.md, Exports, do what is said there" {
	fixture metal bare
	fixture linux hosted 1.2
	sed -n '/^## Exports/,/^## The sources/s/^    //p' docs/format.md >"$dir/examples"
	[ "$(wc -l <"$dir/examples")" -ge 4 ]
	grep -v -e '^benchstat ' "$dir/examples" >"$dir/tried" # Debian 12 has no benchstat
	(cd "$dir" && bash -eux tried)
	[ -s "$dir/metal.csv" ]
}
