#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""many_cpus.py OUT CPUS NODES [ROOM]: a result of `cores` and `noise` of so many CPUs on so many nodes."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cli'))
from made_result import Result  # noqa: E402

out, cpus, nodes, room = (sys.argv[1:] + ['bare'])[:4]
cpus, nodes = int(cpus), int(nodes)
made = Result(room, cpus=cpus)


def row(variant, value, unit, probe='cores', **members):
    made.row(variant, [value * (1 + k / 1000) for k in range(9)], unit, probe=probe, **members)


def distance(a, b):
    return 1 + (a * nodes // cpus != b * nodes // cpus) + (a // 2 != b // 2)


for a in range(cpus):
    for b in range(a + 1, cpus):
        row('bounce', 30 * distance(a, b) + (a * 7 + b) % 5, 'ns/hop', params={'cpu_a': a, 'cpu_b': b})
for a in range(nodes):
    for b in range(nodes):
        where = {'cpu_node': a, 'memory_node': b}
        row('node-latency', 80 + 50 * abs(a - b), 'ns/load', level='memory', params=where)
        row('node-read', 30 / (1 + abs(a - b)), 'GB/s', level='memory', params=where)
        row('node-read-all', 200 / (1 + abs(a - b)), 'GB/s', level='memory',
            params={**where, 'cpus': cpus // nodes})
for cpu in range(cpus):
    row('cpu-clock', 3 + cpu % 3 / 10, 'GHz', params={'cpu': cpu})
    row('longest-all', 1000 * (1 + cpu % 7), 'ns', probe='noise', params={'cpu': cpu, 'seconds': 1})
n = 1
while n <= cpus:
    row('read', 12 * n ** 0.8, 'GB/s', level='memory', params={'cpus': n})
    row('loaded-latency', 90 + n, 'ns/load', level='memory', params={'cpus': cpus, 'pause_ns': 6400 // n},
        more={'load_gbs': 10 * n ** 0.7})
    n *= 2
counts = [0] * 64
counts[10:16] = [40, 20, 5, 3, 1, 1]
row('gaps', 70, 'gaps/s', probe='noise', params={'seconds': 1},
    more={'observed_seconds': 1, 'threshold_ns': 110, 'gaps': 70, 'gaps_unrecorded': 0, 'log2_ticks': counts,
          'events': [[1000 * i, 400 + 90 * i, 0] for i in range(70)]})
made.write(out)
