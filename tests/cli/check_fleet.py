#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_fleet.py MACHINES ROWS: a fleet with five machines that are off by 4 %: these are named, by those
values, and no other; one file is in memory at a time. The time is printed, not judged."""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import made_fleet

ANECHOIC = pathlib.Path(__file__).resolve().parents[2] / 'build/anechoic'
BYTES_MOST = 300 << 20


def main(machines, rows):
    with tempfile.TemporaryDirectory() as folder:
        off = made_fleet.fleet(folder, machines, seed=1, rows=rows)
        size = sum(entry.stat().st_size for entry in os.scandir(folder))
        started = time.monotonic()
        done = subprocess.run([ANECHOIC, 'compare', '--fleet', '--json', folder], capture_output=True, check=False)
        seconds = time.monotonic() - started
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    said = json.loads(done.stdout)
    named = {o['machine']: {v['name'] for v in o['values']} for o in said['outliers']}
    want = {machine: set(factors) for machine, factors in off.items()}
    print(f'{machines} files, {size >> 20} MiB: {seconds:.1f} s, {memory >> 20} MiB of memory')
    assert named == want, f'named {named}, but off are {want}: {done.stderr}'
    assert said['machines'] == machines and said['tests'] == machines * made_fleet.VALUES, said['tests']
    assert done.returncode == 1, f'outliers, and exit code {done.returncode}'
    assert memory < BYTES_MOST, f'{memory} bytes of memory, more than {BYTES_MOST}'


main(*map(int, sys.argv[1:]))
