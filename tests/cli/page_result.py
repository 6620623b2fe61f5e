#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_result.py OUT [ROOM [CPU]]: a result with rows for every picture of the report, skips and values.

The name of the CPU stands wherever a result has a text.
"""
import subprocess
import sys

from made_result import Result

out, room, cpu = (sys.argv[1:] + ['hosted', 'X 1'][len(sys.argv) - 2:])[:3]
made = Result(room, cpu={'brand': cpu, 'model': 85}, emulated=cpu == 'QEMU')
seconds = 0
listed = subprocess.run(['build/anechoic', 'run', '--list'], check=True, capture_output=True, text=True).stdout
probes = {line.split()[0] for line in listed.split('\n\n')[0].splitlines()[1:]} - {'remedies'}


def row(probe, variant, value, unit='ns/load', **members):
    global seconds
    seconds += 0.1
    probes.discard(probe)
    values = [value * (1 + (k * 7 % 11) / 100) for k in range(11)]
    made.row(variant, values, unit, probe=probe, p90=sorted(values)[9], max=max(values), at_seconds=seconds,
             **members)


def sweep(probe, variant, parameter, values, unit='ns/load', cost=lambda x: 1 + x / 1000, **params):
    for x in values:
        row(probe, variant, cost(x), unit, params={parameter: x, **params})


twos = [1 << i for i in range(10, 26, 2)]
for page in 4096, 2 << 20:
    sweep('latency', 'pointer-padded', 'bytes', twos, page_bytes=page)
    sweep('tlb', 'cost', 'pages', [1, 16, 64, 1024], page_bytes=page, cost=lambda x: x / 100 - 1)
    sweep('tlb', 'spread', 'pages', [1, 16, 64, 1024], page_bytes=page)
for method in 'checked', 'raw-padded':
    sweep('latency', 'method-' + method, 'bytes', twos, page_bytes=4096)
row('latency', 'pointer', 4, level='l1', params={'bytes': 16384, 'page_bytes': 2 << 20})
for n in 1, 2, 8, 16:
    row('mlp', 'chains', 100 / n, 'ns/line', level='memory', params={'lanes': n}, more={'speedup': n})
    sweep('mlp', 'batch', 'bytes', twos, 'ns/line', lanes=n)
sweep('mlp', 'batch-work', 'bytes', twos, 'ns/line', lanes=16, work=3)
for variant in 'read', 'write', 'copy', 'nt-write':
    sweep('bandwidth', variant, 'bytes', twos, 'GB/s', lambda x: 1e5 / x ** 0.5, width_bits=256)
for width in 32, 256:
    for variant in 'read', 'write':
        row('bandwidth', variant, width, 'GB/s', level='l1', params={'bytes': 16384, 'width_bits': width})
sweep('bandwidth', 'rep-movsb', 'bytes', twos, 'GB/s')
sweep('random', 'read', 'bytes', twos, 'ns/op', width_bits=64)
sweep('stride', 'even', 'stride_bytes', [16, 64, 256], 'ns/op')
sweep('stride', 'flush-beside', 'apart_bytes', [8, 32, 64], cost=lambda x: 100 if x < 64 else 2)
sweep('shuffle', 'fisher-yates', 'bytes', twos, 'ns/element')
sweep('window', 'two-misses', 'instructions', [3, 128, 256, 512], 'ns/op')
for variant in 'integer', 'add-waiting':
    sweep('backend', variant, 'entries', [3, 128, 256, 512], 'ns/op')
for variant in 'short', 'long':
    sweep('frontend', variant, 'bytes', [1024, 4096, 16384, 32768, 65536], 'ns/op',
          lambda x: 0.1 if x < 40000 else 0.3)
sweep('ways', 'same-set', 'ways', range(1, 17), cost=lambda x: 1 if x < 9 else 5)
sweep('branch', 'period', 'elements', twos, 'ns/branch')
sweep('branch', 'states-random', 'elements', twos, 'ns/branch')
sweep('branch', 'learn', 'pass', range(1, 9), 'ns/branch', lambda x: 4 / x, elements=1000)
sweep('branch', 'targets', 'targets', twos, 'ns/jump', stride_bytes=16)
sweep('branch', 'return-stack', 'depth', range(1, 33), 'ns/call')
row('branch', 'copy', 0.6, 'ns/element')
sweep('ilp', 'add', 'lanes', [1, 2, 4], 'ns/op')
sweep('matmul', 'ijk', 'n', [32, 512], 'ns/madd')
for variant in 'touch-4k', 'touch-2m':
    row('bytouch', variant, 2000, 'ns/page', params={'pages': 4096})
row('memtype', 'wb-latency', 4)
row('clock', 'rdtsc', 27, 'ticks')
for i in range(2):
    row('cores', 'cpu-clock', 3 + i / 10, 'GHz', params={'cpu': i})
    row('noise', 'longest-all', 2000 + i, 'ns', params={'cpu': i})
    row('cores', 'read', 20 + i, 'GB/s', params={'cpus': i + 1})
    row('cores', 'loaded-latency', 90 + i, params={'cpus': 2}, more={'load_gbs': 10 * i})
    row('cores', 'node-latency', 90 + i, params={'cpu_node': 0, 'memory_node': i})
    row('cores', 'node-read', 30 - i, 'GB/s', params={'cpu_node': 0, 'memory_node': i})
row('cores', 'bounce', 80, 'ns/hop', params={'cpu_a': 0, 'cpu_b': 1})
counts = [0] * 64
counts[9:12] = [20, 4, 1]
row('noise', 'gaps', 25, 'gaps/s', params={'seconds': 1}, more={
    'observed_seconds': 1.0, 'threshold_ns': 110, 'gaps': 25, 'gaps_unrecorded': 0, 'log2_ticks': counts,
    'events': [[1000 * i, 300 + i, 0] for i in range(25)]})
row('latency', cpu, 4, cpu, params={cpu: 1})
if cpu not in ('X 1', 'QEMU'):
    row(cpu, 'variant', 4)
made.add('skip', probe='clock', variant=cpu, reason=cpu)
made.add('summary', name=cpu, value=None, unit=cpu, claimed=None, confidence=0, reason=cpu)
for probe in sorted(probes):  # of which the report has no picture of its own
    row(probe, 'variant', 4)
made.add('skip', probe='remedies', reason='no data for this test')
made.add('skip', probe='tlb', variant='cold', reason='no time', params={'pages': 4096})
for name, value, claimed in ('l1d_bytes', 31232, 32768), ('l2_bytes', 524288, 524288):
    made.add('summary', name=name, value=value, unit='bytes', low=value - 64, high=value + 64, claimed=claimed,
             agrees=True, confidence=0.9, rests_on='latency pointer-padded')
made.add('summary', name='l3_bytes', value=None, unit='bytes', claimed=None, confidence=0, reason='too few points')
for i in range(2):
    row('cores', 'node-read-all', 90 - 20 * i, 'GB/s', params={'cpu_node': 0, 'memory_node': i, 'cpus': 2})
sweep('mlp', 'batch-prefetch', 'bytes', twos, 'ns/line', lanes=16, work=3)
made.write(out)
