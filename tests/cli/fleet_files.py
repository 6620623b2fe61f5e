#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fleet_files.py FOLDER: 24 equal machines, node-0005 off by 20 % in two values, and all that a folder has beside."""
import os
import pathlib
import random
import sys

import made_fleet

folder = pathlib.Path(sys.argv[1])
dice = random.Random(1)
alike = folder / 'alike'
mixed = folder / 'mixed'
for path in alike, mixed / 'rack', mixed / 'two/n7', mixed / 'two/n8':
    path.mkdir(parents=True)
made_fleet.fleet(alike, 24, seed=2, off=[], models=(0,))
for n in range(24):
    odd = {'memory_latency_ns': 1.2, 'read_bytes_per_cycle_l2': .8} if n == 5 else {}
    made_fleet.write(mixed / f'rack/node-{n:04}.ndjson', dice, off=odd)
# Three runs of one machine, known by its identity, whatever the files are called; one of the runs is off.
for run, factor in enumerate((1, 1.2, 1)):
    made_fleet.write(mixed / f'two/again-{run}.ndjson', dice, off={'memory_latency_ns': factor},
                     host={'uuid': '4c4c4544-0050-3010-8052-b4c04f564231', 'mac': '00:00:00:00:00:00'})
# The same by the name that `run` chooses; and two machines that the folder tells.
for day in 1, 2:
    made_fleet.write(mixed / f'two/anechoic-2026010{day}T120000Z-web1.ndjson', dice)
    made_fleet.write(mixed / f'two/n7/2026010{day}T120000Z-bare.ndjson', dice)
made_fleet.write(mixed / 'two/n8/20260101T120000Z-bare.ndjson', dice)
# A group of two; emulated ones, with any numbers.
for n in range(2):
    made_fleet.write(mixed / f'few-{n}.ndjson', dice, model=2)
for n in range(9):
    made_fleet.write(mixed / f'qemu-{n}.ndjson', dice, off={'memory_latency_ns': 1 + n}, emulated=True)
# What is no result, or not a whole one.
(mixed / 'empty.ndjson').touch()
(mixed / 'foreign.ndjson').write_text('{"name":"something else"}\n' * 200)
whole = (mixed / 'rack/node-0001.ndjson').read_bytes()
(mixed / 'cut.ndjson').write_bytes(whole[:len(whole) // 2])
(mixed / 'changed.ndjson').write_bytes(whole.replace(b'core_clock_hz', b'core_clock_Hz', 1))
(mixed / 'notes.txt').write_text('rack 3\n')
os.mkfifo(mixed / 'pipe.ndjson')  # must not be waited for
os.symlink('../mixed', mixed / 'circle')
os.symlink('rack/node-0002.ndjson', mixed / 'again.ndjson')  # is read once
