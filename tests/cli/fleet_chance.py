# SPDX-License-Identifier: MIT
"""How many of many fleets of equal machines have a machine that `anechoic compare --fleet` names."""
import concurrent.futures
import json
import pathlib
import subprocess
import tempfile

import made_fleet

ANECHOIC = pathlib.Path(__file__).resolve().parents[2] / 'build/anechoic'


def named(machines, seed):
    with tempfile.TemporaryDirectory() as folder:
        made_fleet.fleet(folder, machines, seed, off=[], models=made_fleet.UNEVEN)
        done = subprocess.run([ANECHOIC, 'compare', '--fleet', '--json', folder], capture_output=True, check=False)
    said = json.loads(done.stdout)
    assert said['tests'] == machines * made_fleet.VALUES, f"{said['tests']} values judged"
    return [(seed, o['machine'].split('/')[-1], o['values']) for o in said['outliers']]


def false_names(fleets, machines):
    """What is named in each fleet where anything is."""
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        found = pool.map(named, [machines] * fleets, range(1000, 1000 + fleets))
    return [names for names in found if names]
