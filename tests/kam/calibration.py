#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""calibration.py [--machines M,...] [--noises N,...] [--seeds S,...] [--guests FROM-TO] [--jobs N] [--keep]
[--falsify V,...]

How sure the values say to be, against how often they are right. Measures known-answer machines under
noise, and guests that tests/kam/random-guest draws, and prints tables: by what is said, by noise, and by
value. A bin of one of them fails, and with it the program, where its values are right less often than
they say, beyond chance: were each right with the chance that it says, and none to do with another, as few
or fewer would be right in less than CHANCE of such tests (the sum of such draws has a Poisson binomial
distribution). It fails, too, where one value that is SURE or more is OFF or more beside the truth; each is
printed with its machine and seed. Docs: docs/known-answer.md, "How sure". With --keep, results that are
there are not measured anew."""
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import re
import subprocess
import sys

from result_lines import write

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / 'build/test/calibration'

# What is changed of a machine's file. Its rows take nine samples, as `noisy`: the engine would take up to 256.
NOISES = {
    'quiet': [],
    'jitter': ['noise.jitter_every=20000', 'noise.jitter_ticks=200'],
    'ticks': ['noise.spike_every=3000000', 'noise.spike_ticks=8000'],
    'storm': ['noise.spike_every=150000', 'noise.spike_ticks=12000'],
    'preempted': ['noise.spike_every=12000000', 'noise.spike_ticks=3000000'],
    'neighbour': ['neighbour.period_us=1700', 'neighbour.share=30', 'neighbour.l1_ways=1',
                  'neighbour.l2_ways=1', 'neighbour.l3_ways=2', 'neighbour.stlb_ways=1'],
    'rented': ['noise.jitter_every=20000', 'noise.jitter_ticks=200', 'noise.spike_every=3000000',
               'noise.spike_ticks=40000', 'neighbour.period_us=2300', 'neighbour.share=40', 'neighbour.l1_ways=1',
               'neighbour.l2_ways=2', 'neighbour.l3_ways=3', 'neighbour.stlb_ways=1'],
    'crowded': ['neighbour.period_us=6100', 'neighbour.share=45', 'neighbour.l1_ways=2', 'neighbour.l2_ways=3',
                'neighbour.l3_ways=5', 'neighbour.stlb_ways=2'],
    'clock': ['clock.hz_start=2000000000', 'clock.ramp_us=20000', 'clock.steps=5', 'clock.idle_us=500'],
}
# Which noises a machine is measured under. A neighbour can only have ways of what replaces by LRU.
RUNS = {
    'small': ['quiet', 'jitter', 'ticks', 'preempted', 'storm', 'neighbour', 'crowded', 'rented'],
    'haswell': ['quiet', 'preempted', 'rented'],
    'zen': ['quiet', 'preempted', 'clock'],
    'plru': ['preempted', 'clock'],
    'skylake-sp': ['preempted', 'rented', 'clock'],
    'neighbour': ['quiet', 'crowded'],
    'tlb-by-turns': ['quiet', 'crowded'],
    'tagged-predictor': ['jitter'],
}
SEEDS = [1]
GUESTS = '1-12'  # seeds of tests/kam/random-guest
SAMPLES = 9
RATE = 0.03  # of a bandwidth: docs/known-answer.md, "What is checked"

BINS = [0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01]  # a value said to be 0.9 sure is in 0.9..0.95
CHANCE = 0.01
FEWEST = 10  # values of a bin, a noise or a name: of fewer nothing is asked
CHANCE_OF_NAME = 0.001  # there are many names
OFF, SURE = 0.15, 0.5  # no value that is so sure may be so far off


def as_few(chances, right):
    """The chance that of independent draws with these chances so many or fewer come true."""
    at = [1.0]
    for p in chances:
        at = [(at[k] * (1 - p) if k < len(at) else 0) + (at[k - 1] * p if k else 0) for k in range(len(at) + 1)]
    return min(1.0, sum(at[:right + 1]))


# off: by what part of the truth it is beside what was said; line: for people
Value = collections.namedtuple('Value', 'name noise sure right bracket off line')


def rates(result):
    """The bandwidths of a result: {name: (value, confidence)}."""
    lines = [json.loads(line) for line in result.read_text(encoding='ascii').splitlines()]
    return {line['name']: (line['value'], line['confidence']) for line in lines
            if line['kind'] == 'summary' and line['unit'] == 'bytes/cycle' and line['value'] is not None}


def falsified(result, names):
    """The result with every third value of these names, or of all, 1.3 times as large."""
    lines = [json.loads(line) for line in result.read_text(encoding='ascii').splitlines()]
    said = [line for line in lines if line['kind'] == 'summary' and line['value'] is not None]
    for line in said[::3] if names == ['all'] else [line for line in said if line['name'] in names]:
        line.update({key: 1.3 * line[key] for key in ('value', 'low', 'high') if line.get(key) is not None})
    wrong = result.with_suffix('.false')
    write(wrong, lines)
    return wrong


def off_by(value, low, high, truth):
    """The part of the truth by which it lies outside of what was said: of the bracket, if there is one."""
    if math.isnan(low):
        low = high = value
    return max(low - truth, truth - high, 0) / truth if truth > 0 else math.inf  # nan: it must have no value


def write_machine(machine, noise, seed, ini):
    """Writes the file of a machine under a noise, or of a guest, and returns its probes, [] for all."""
    source = ROOT / f'tests/kam/cpus/{machine}.ini'
    command = [ROOT / 'tests/kam/random-guest', str(seed)]
    if machine != 'guest':
        change = NOISES[noise] + [f'noise.seed={seed}']
        if any(c.startswith('noise.') for c in NOISES[noise]):
            change.append(f'noise.samples={SAMPLES}')
        command = [ROOT / 'tests/kam/machine_with.py', source, *change]
    with ini.open('w', encoding='ascii') as file:
        subprocess.run(command, check=True, stdout=file)
    return re.findall(r'^; probes: (.*)', (ini if machine == 'guest' else source).read_text(encoding='ascii'), re.M)


def measured(machine, noise, seed, o):
    """A result of the machine under that noise, and its Values that have a truth."""
    at = OUT / f'{machine}-{noise}-{seed}'
    ini, result = at.with_suffix('.ini'), at.with_suffix('.ndjson')
    probes = write_machine(machine, noise, seed, ini)
    if not o.keep or not result.exists():
        part = result.with_suffix('.part')
        subprocess.run([ROOT / 'build/kam', '--cpu', ini, '--image', ROOT / 'build/BOOTX64.EFI', '--out', part,
                        '--seed', str(seed), *(['--probes', probes[0]] if probes else [])], check=True)
        part.rename(result)
    if o.falsify:
        result = falsified(result, o.falsify.split(','))
    said = subprocess.run([ROOT / 'build/kam', '--values', ini, result], check=True, capture_output=True, text=True)
    values = []
    for line in said.stdout.splitlines():
        name, sure, verdict, *numbers = line.split()
        value, low, high, truth = map(float, numbers)
        right = verdict == 'right'
        values.append(Value(name, noise, float(sure), right, not math.isnan(low),
                            0 if right else off_by(value, low, high, truth), f'{machine} {noise} {seed}: {line}'))
    return result, values


def rate_values(quiet, result, noise, title):
    """Values of bandwidths: their truth is what the machine has without noise, which the judge judges by its rows."""
    truth, values = rates(quiet), []
    for name, (value, sure) in rates(result).items():
        if name in truth:
            right = abs(value / truth[name][0] - 1) <= RATE
            values.append(Value(name, noise, sure, right, False, abs(value / truth[name][0] - 1),
                                f'{title}: {name} {sure} {value} truth {truth[name][0]}'))
    return values


def group_line(title, group, chance):
    """Of values that belong together; and whether they fail."""
    n, right = len(group), sum(v.right for v in group)
    said = sum(v.sure for v in group) / n if n else 0
    luck = as_few([v.sure for v in group], right) if n else 1
    failed = n >= FEWEST and luck < chance
    if not n:
        return f'{title:26}      0', False
    return (f'{title:26} {n:6} {right:6}   {100 * said:5.1f} %  {100 * right / n:5.1f} %   {luck:8.2g}'
            f'{"  too sure" if failed else ""}'), failed


def table(head, groups, chance):
    """Prints a line for each group of values, {title: values}. Returns the titles that fail."""
    failures = []
    print(f'{head:26} {"values":>6} {"right":>6}   {"said":>7}  {"right":>7}   {"chance":>8}')
    for title, group in groups.items():
        line, failed = group_line(title, group, chance)
        failures += [title] * failed
        print(line)
    print()
    return failures


def by(values, key):
    """{key of a value: the values that have it}, in order."""
    groups = collections.defaultdict(list)
    for value in values:
        groups[key(value)].append(value)
    return dict(sorted(groups.items()))


def report(values):
    """Prints the tables, and what is wrong. Returns which groups fail."""
    failures = []
    kinds = {True: 'bracket', False: 'no bracket'}
    for kind, group in {'': values, **{f', {kinds[k]}': v for k, v in by(values, lambda v: v.bracket).items()}}.items():
        bins = {f'{low:.2f} to {min(high, 1):.2f}{kind}': [v for v in group if low <= v.sure < high]
                for low, high in zip(BINS, BINS[1:])}
        failures += table('said to be sure', bins | {f'all{kind}': group}, CHANCE)
    failures += table('noise', by(values, lambda v: f'{v.noise}, {kinds[v.bracket]}'), CHANCE)
    failures += table('value', by(values, lambda v: v.name), CHANCE_OF_NAME)
    for value in sorted(values, key=lambda v: -v.sure):
        if not value.right:
            print('wrong:', value.line)
    far = [v for v in values if v.sure >= SURE and v.off >= OFF]
    for value in sorted(far, key=lambda v: -v.off):
        print(f'far off: by {100 * value.off:.0f} %, {100 * value.sure:.0f} % sure: {value.line}')
    return failures + [f'far off: {len(far)} values'] * bool(far)


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--machines', default=','.join(RUNS))
    options.add_argument('--noises', help='of all machines; else those of the list')
    options.add_argument('--seeds', default=','.join(map(str, SEEDS)))
    options.add_argument('--guests', default=GUESTS, help='FROM-TO: seeds of guests that are drawn; 0-0: none')
    options.add_argument('--jobs', type=int, default=1)
    options.add_argument('--keep', action='store_true')
    options.add_argument('--falsify', help='these values, or all: every third, so that the test fails')
    o = options.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    runs = [(m, n, int(s), o) for m in o.machines.split(',')
            for n in (o.noises.split(',') if o.noises else RUNS[m]) for s in o.seeds.split(',')] if o.machines else []
    first, last = map(int, o.guests.split('-'))
    runs += [('guest', 'guest', seed, o) for seed in range(first, last + 1) if seed]
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        done = dict(zip([r[:3] for r in runs], pool.map(lambda r: measured(*r), runs)))
    values = [v for _, said in done.values() for v in said]
    for (machine, noise, seed), (result, _) in done.items():
        quiet = done.get((machine, 'quiet', seed))
        if quiet and noise != 'quiet':
            values += rate_values(quiet[0], result, noise, f'{machine} {noise} {seed}')
    failures = report(values)
    if failures:
        print('surer than they are right:', ', '.join(failures))
    sys.exit(bool(failures))


main()
