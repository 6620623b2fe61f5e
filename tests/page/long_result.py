#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""long_result.py OUT SEED: as many rows as profile `default` has on a quiet machine, in curves that differ."""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'cli'))
from made_result import Result  # noqa: E402

draw = random.Random(int(sys.argv[2]))
made = Result('hosted')


def sweep(probe, variant, unit, n, **params):
    for i in range(n):
        values = sorted(round(draw.gauss(5 + i / 10, 0.2), 6) for _ in range(31))
        made.row(variant, values, unit, probe=probe, p90=values[27], max=values[-1], at_seconds=i / 10,
                 params={'bytes': 1024 << i // 4, **params})


for page in 4096, 2 << 20:
    sweep('latency', 'pointer-padded', 'ns/load', 70, page_bytes=page)
    sweep('tlb', 'spread', 'ns/load', 70, page_bytes=page)
    for method in 'checked', 'raw', 'padded':
        sweep('latency', 'method-' + method, 'ns/load', 40, page_bytes=page)
for width in 32, 64, 128, 256:
    for variant in 'read', 'write', 'copy', 'nt-write':
        sweep('bandwidth', variant, 'GB/s', 25, width_bits=width)
        sweep('random', variant, 'ns/op', 25, width_bits=width)
for lanes in 1, 2, 4, 8, 16, 32:
    sweep('mlp', 'batch', 'ns/line', 50, lanes=lanes)
made.write(sys.argv[1])
