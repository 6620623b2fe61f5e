#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What anechoic export writes, read by the programs that it is for.

# compare.py is that of Debian's libbenchmark-tools, lstopo that of hwloc-nox. Bencher is not in Debian, and LAVA is too
# large for a test: exports.long.bats has its own code.

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

# https://bencher.dev/docs/reference/bencher-metric-format has this schema.
@test "Bencher's schema: brackets, names that stay, the median of runs; what is not sure is left out" {
	results_by "$dir" <<-'END'
		for n, (value, low, high) in enumerate(((4.0, 3.5, 4.5), (4.4, 3.9, 4.9), (4.2, 3.7, 4.7))):
		    made = Result('bare', time_utc=f'20260101T00000{n}Z')
		    made.row('pointer', [value] * 3, params={'bytes': 1000 + n})
		    made.add('summary', name='l1d_latency_ns', value=value, unit='ns', low=low, high=high, confidence=0.9)
		    made.add('summary', name='memory_read_gbs', value=20 + n, unit='GB/s', confidence=0.8)
		    made.add('summary', name='l2_bytes', value=65536, unit='bytes', low=65536, high=None if n == 1 else 70000,
		             confidence=0.9)
		    made.add('summary', name='l2_latency_ns', value=9, unit='ns', confidence=0.4)
		    made.add('summary', name='l3_bytes', value=None, unit='bytes', confidence=0, reason='too few points')
		    made.add('summary', name='stlb_entries', value=None, unit='entries', confidence=0,
		             reason='not measured in this run')
		    made.write(f'{sys.argv[1]}/{n}.ndjson')
		made = Result('bare', emulated=True)
		made.add('summary', name='l1d_latency_ns', value=400, unit='ns', confidence=0.9)
		made.write(f'{sys.argv[1]}/slow.ndjson')
	END
	cat "$dir"/[0-9].ndjson "$dir/slow.ndjson" >"$dir/all.ndjson"
	exits 0 '2 values were left out: not resolved, or less than half sure' anechoic export --format bmf "$dir/all.ndjson"
	anechoic export --format bmf "$dir/all.ndjson" >"$dir/all.json"
	anechoic export --format bmf "$dir/1.ndjson" | jq -r 'keys[]' >"$dir/one"
	jq -r 'del(.["bare-emulated/l1d_latency_ns"]) | keys[]' "$dir/all.json" | diff "$dir/one" -
	python3 - "$dir/all.json" <<-'END'
		import json, jsonschema, sys
		number = {'type': 'number'}
		metric = {'type': 'object', 'required': ['value'],
		          'properties': {'value': number, 'lower_value': number, 'upper_value': number},
		          'additionalProperties': False}
		named = lambda what: {'type': 'object', 'patternProperties': {'.+': what}, 'additionalProperties': False}
		bmf = json.load(open(sys.argv[1]))
		jsonschema.validate(bmf, named(named(metric)))
		assert all(len(name) <= 1024 and len(benchmark) == 1 and len(measure) <= 64
		           for name, benchmark in bmf.items() for measure in benchmark), bmf
		want = {'bare/l1d_latency_ns': {'ns': {'value': 4.2, 'lower_value': 3.5, 'upper_value': 4.9}},
		        'bare/l2_bytes': {'bytes': {'value': 65536, 'lower_value': 65536}},
		        'bare/memory_read_gbs': {'gb-per-s': {'value': 21}},
		        'bare-emulated/l1d_latency_ns': {'ns': {'value': 400}}}
		assert bmf == want, bmf
	END
}

@test "one machine for the formats that track one" {
	fixture a bare 1 'X 1'
	fixture b bare 1 'Y 2'
	cat "$dir/a.ndjson" "$dir/b.ndjson" >"$dir/both.ndjson"
	for format in bmf lava hwloc; do
		exits 2 'runs of several machines' anechoic export --format $format "$dir/both.ndjson"
	done
	exits 0 Benchmark anechoic export --format benchstat "$dir/both.ndjson"
}

# The test case of LAVA: the script lava-test-case prints it, and the dispatcher reads it word by word.
@test "LAVA's signals: values, what is not sure, a cut run, a failed proof" {
	results_by "$dir" <<-'END'
		made = Result('bare')
		made.row('pointer', [1, 2, 3])
		made.add('skip', probe='branch', variant='penalty', reason='proof failed: the loop miscounted the bits')
		made.add('summary', name='l1d_latency_ns', value=1.25, unit='ns', confidence=0.9)
		made.add('summary', name='memory_read_gbs', value=2e-7, unit='GB/s', confidence=0.9)
		made.add('summary', name='l2_latency_ns', value=9, unit='ns', confidence=0.4)
		made.add('summary', name='stlb_entries', value=None, unit='entries', confidence=0, reason='not measured in this run')
		made.write(f'{sys.argv[1]}/bare.ndjson')
	END
	anechoic export --format lava "$dir/bare.ndjson" | tee "$dir/signals"
	diff "$dir/signals" - <<-'END'
		<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=bare.run RESULT=pass>
		<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=bare.proofs RESULT=fail>
		<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=bare.l1d_latency_ns RESULT=pass UNITS=ns MEASUREMENT=1.25>
		<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=bare.l2_latency_ns RESULT=unknown>
		<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=bare.memory_read_gbs RESULT=pass UNITS=GB/s MEASUREMENT=2e-07>
	END
	sed -i '$d' "$dir/bare.ndjson"
	exits 2 'TEST_CASE_ID=bare.run RESULT=fail' anechoic export --format lava "$dir/bare.ndjson"
}

# The image sends the same lines on its serial line.
@test "LAVA's monitor: the pattern of docs/format.md takes each value that is at least half sure from a log" {
	anechoic run --profile smoke --memory 64m --probe clock,noise --out "$out"
	python3 - "$out" docs/format.md <<-'END'
		import json, re, sys
		log, docs = (open(name).read() for name in sys.argv[1:])
		pattern = re.search("^ +pattern: '(.*)'$", docs, re.M)[1]
		want = [(line['name'], line['value'], line['unit']) for line in map(json.loads, log.splitlines())
		        if line['kind'] == 'summary' and line['confidence'] >= 0.5]
		have = [(m['test_case_id'], float(m['measurement']), m['units']) for m in re.finditer(pattern, log)]
		assert have == want and len(want) > 5, f'{have} instead of {want}'
	END
}

# machine PLACE...: a result of CPUs at these places, "PACKAGE NODE L3 CORE" each, whose numbers are $stride apart, to
# $dir/machine.ndjson; its XML, also as lstopo writes it, to $dir/again.xml; and what lstopo draws, to $dir/drawn.
machine() {
	results_by "$dir/machine.ndjson" "${stride:-1}" "$@" <<-'END'
		places = [dict(zip(('package', 'node', 'l3', 'core'), map(int, place.split()))) for place in sys.argv[3:]]
		made = Result('bare', cpu={'vendor': 'V', 'brand': 'X "1" & <2>', 'family': 6, 'model': 85, 'stepping': 4},
		              topology=[{'id': n * int(sys.argv[2]), **place} for n, place in enumerate(places)],
		              caches_claimed=[{'level': level, 'type': kind, 'bytes': size, 'ways': 8, 'line_bytes': 64,
		                               'shared_by': 2} for level, kind, size in
		                              ((1, 'data', 32768), (1, 'instruction', 16384), (2, 'unified', 1 << 20), (3, 'unified', 1 << 25))])
		nodes = sorted({place['node'] for place in places})
		for a in nodes:
		    for b in nodes:
		        params = {'cpu_node': a, 'memory_node': b, 'bytes': 4096}
		        made.row('node-latency', [90.4 + 10 * a + b] * 3, probe='cores', params=params)
		        if len(nodes) > 1:
		            made.row('node-read-all', [1.048576 * (10 + 2 * a + b)] * 3, 'GB/s', probe='cores', params=params)
		made.add('summary', name='l1d_bytes', value=49152, unit='bytes', low=49152, high=50176, confidence=0.9)
		made.add('summary', name='l2_bytes', value=7, unit='bytes', confidence=0.3)
		made.add('summary', name='memory_read_gbs', value=1.048576, unit='GB/s', confidence=0.9)
		made.write(sys.argv[1])
	END
	anechoic export --format hwloc "$dir/machine.ndjson" >"$dir/machine.xml"
	xmllint --noout "$dir/machine.xml"
	lstopo-no-graphics --input "$dir/machine.xml" --of xml --force "$dir/again.xml"
	lstopo-no-graphics --input "$dir/machine.xml" --no-io --of console >"$dir/drawn"
	cat "$dir/drawn"
}

# objects TYPE COUNT [TYPE COUNT...]: lstopo has so many.
objects() {
	while [ $# -gt 0 ]; do
		[ "$(hwloc-calc --input "$dir/machine.xml" --number-of "$1" all)" = "$2" ] || { echo "not $2 of $1"; return 1; }
		shift 2
	done
}

@test "hwloc's lstopo: nodes, caches, cores; latency and bandwidth of memory by the node that asks" {
	machine '0 0 0 0' '0 0 0 0' '0 0 0 1' '0 0 0 1' '1 1 1 0' '1 1 1 0' '1 1 1 1' '1 1 1 1'
	objects Package 2 NUMANode 2 L3Cache 2 L2Cache 4 L1Cache 4 L1iCache 4 Core 4 PU 8
	lstopo-no-graphics --input "$dir/machine.xml" --memattrs | grep ' from ' | diff - <(sed 's/^\t*/  /' <<-'END'
		NUMANode L#0 = 10000 from cpuset 0x0000000f (Package L#0)
		NUMANode L#0 = 12000 from cpuset 0x000000f0 (Package L#1)
		NUMANode L#1 = 11000 from cpuset 0x0000000f (Package L#0)
		NUMANode L#1 = 13000 from cpuset 0x000000f0 (Package L#1)
		NUMANode L#0 = 90 from cpuset 0x0000000f (Package L#0)
		NUMANode L#0 = 100 from cpuset 0x000000f0 (Package L#1)
		NUMANode L#1 = 91 from cpuset 0x0000000f (Package L#0)
		NUMANode L#1 = 101 from cpuset 0x000000f0 (Package L#1)
	END
	)
	# The nearest memory of a core, as a program asks for it.
	[ "$(hwloc-calc --input "$dir/machine.xml" --best-memattr ReadLatency --local-memory-flags 7 core:3)" = 0 ]
	# Sizes: measured, or CPUID's, and which; a value that is not sure is none.
	grep -F 'cache_size="49152" depth="1"' "$dir/again.xml"
	grep -F 'value="measured within 49152..50176 bytes; claimed by CPUID: 32768 bytes"' "$dir/again.xml"
	grep -F 'cache_size="1048576" depth="2"' "$dir/again.xml"
	grep -F 'value="claimed by CPUID: 1048576 bytes"' "$dir/again.xml"
	grep -F 'name="CPUModel" value="X &quot;1&quot; &amp; &lt;2&gt;"' "$dir/again.xml"
	# What lstopo reads, it writes: all of it.
	for part in '<object' '<memattr_value' '<info name="anechoic'; do
		[ "$(grep -cF "$part" "$dir/machine.xml")" = "$(grep -cF "$part" "$dir/again.xml")" ]
	done
}

@test "hwloc: nodes within a package, packages within a node, an L3 across nodes, and no places at all" {
	machine '0 0 0 0' '0 0 0 1' '0 1 1 2' '0 1 1 3'
	objects Package 1 NUMANode 2 L3Cache 2 Core 4
	machine '0 0 0 0' '0 0 0 1' '1 0 1 0' '1 0 1 1'
	objects Package 2 NUMANode 1 L3Cache 2 Core 4
	lstopo-no-graphics --input "$dir/machine.xml" --memattrs | grep -F '= 1000 from cpuset 0x0000000f'
	stride=40 machine '0 0 0 0' '0 1 1 1' # APIC ids
	lstopo-no-graphics --input "$dir/machine.xml" --memattrs | grep -F ' = 91 from cpuset 0x00000001 '
	lstopo-no-graphics --input "$dir/machine.xml" --memattrs | grep -F ' = 100 from cpuset 0x00000100,0x0 '
	machine '0 0 0 0' '0 1 0 1' '0 0 0 2' '0 1 0 3'
	objects Package 1 NUMANode 2 L3Cache 1 Group0 2 Core 4 PU 4
	machine '0 0 0 0' '0 1 1 1' '1 0 1 0' '1 1 0 1' # packages and caches that cross the nodes are not drawn
	objects NUMANode 2 Core 4 PU 4
	! grep -e Package -e L3 "$dir/drawn"
	fixture bald bare
	anechoic export --format hwloc "$dir/bald.ndjson" >"$dir/machine.xml"
	objects NUMANode 1 Core 2 PU 2
}

# The indented lines of that section are commands, in this order.
@test "the examples of docs/format.md, Exports, do what is said there" {
	fixture metal bare
	fixture linux hosted 1.2
	sed -n '/^## Exports/,/^### /s/^    //p' docs/format.md >"$dir/examples"
	[ "$(wc -l <"$dir/examples")" -ge 4 ]
	grep -v -e '^benchstat ' -e '^bencher ' "$dir/examples" >"$dir/tried" # Debian 12 has neither
	(cd "$dir" && bash -eux tried)
	[ -s "$dir/metal.csv" ]
}
