# SPDX-License-Identifier: MIT
"""How often `anechoic compare` is right about results whose difference is known: a Monte Carlo.

A row's run draws its true median once (deviation `between`), and its samples around that (deviation
`within`). Where rows are many, each has its own `between`, within a factor of three.
"""
import concurrent.futures
import json
import math
import pathlib
import random
import subprocess
import tempfile

from made_result import Result

ANECHOIC = pathlib.Path(__file__).resolve().parents[2] / 'build/anechoic'
SAMPLES = 15
LEVELS = 'l1', 'l2', 'l3', 'memory'  # every second row is slower: so are the subjects L2 and memory


class Case:
    """rows a file; of them every second one is `effect` slower; runs a side; deviations."""

    def __init__(self, rows, effect, within, between):
        self.rows, self.effect, self.within, self.between = rows, effect, within, between

    def truth(self, row):
        """The logarithm of B/A; all rows of a small file have the effect, half of a large one's."""
        return math.log1p(self.effect) if self.rows < 3 or row % 2 else 0

    def write(self, dice, folder, side, runs):
        paths = []
        for run in range(runs):
            result = Result()
            for row in range(self.rows):
                deviation = self.between * 3 ** ((row % 5 - 2) / 2 if self.rows > 2 else 0)
                away = self.truth(row) * side + dice.gauss(0, deviation)
                result.row(f'r{row}', [10 * math.exp(away + dice.gauss(0, self.within))
                                       for _ in range(SAMPLES)], probe='bandwidth', level=LEVELS[row % 4])
            paths.append(folder / f'{"ab"[side]}-{run + 1}.ndjson')
            result.write(paths[-1])
        return paths


class Tally:
    def __init__(self):
        self.rows = self.null = self.false = self.found = self.covered = self.same = 0
        self.comparisons = self.failed = self.named = self.false_row = 0

    def take_comparison(self, failed, subjects, effect):
        """failed: by --fail-above; subjects: of the sentence."""
        alike = [s for s in subjects if s['name'] == 'core clock' or not effect or
                 s['name'] in ('L1 bandwidth', 'L3 bandwidth')]
        self.comparisons += 1
        self.failed += failed
        self.named += any(s['verdict'] in ('slower', 'faster') for s in alike)

    def take_rows(self, rows, case):
        """rows: of the comparison, each with its cells."""
        before = self.false
        for row, compared in enumerate(rows):
            self.take(compared['sets'][1], case.truth(row))
        self.false_row += self.false > before

    def take(self, cell, truth):
        different = cell['verdict'] in ('slower', 'faster')
        self.rows += 1
        self.covered += math.log(cell['low']) <= truth <= math.log(cell['high'])
        if truth == 0:
            self.null += 1
            self.false += different
            self.same += cell['verdict'] == 'same'
        else:
            self.found += cell['verdict'] == 'slower'

    def part(self, name):
        return getattr(self, name) / {'false': self.null, 'same': self.null, 'covered': self.rows,
                                      'found': self.rows - self.null, 'failed': self.comparisons,
                                      'named': self.comparisons, 'false_row': self.comparisons}[name]


def try_case(case, runs, trials, folder, dice):
    tally = Tally()
    for _ in range(trials):
        paths = [p for side in (0, 1) for p in case.write(dice, folder, side, runs)]
        done = subprocess.run([ANECHOIC, 'compare', '--json', '--fail-above', '5%', *paths],
                              capture_output=True, check=False)
        said = json.loads(done.stdout)
        tally.take_comparison(done.returncode == 1, said['verdicts'][0]['subjects'], case.effect)
        tally.take_rows(said['rows'], case)
    return tally


RUNS = 1, 2, 5, 10  # a side

FALSE_MOST = 0.02
FAILED_MOST = 0.01        # comparisons of what is alike: by --fail-above 5%, or named in the sentence
FALSE_ROW_MOST = 0.05     # comparisons of what is alike that call any row of hundreds different; 0.7 uncorrected
FOUND_LEAST = 0.80        # +5 % with samples of 3 %, from 5 runs a side on
COVERED = 0.93, 0.97      # by the 95 % interval; a single run: what is assumed covers at least that
MANY = '150 rows alike, samples within 3 %'
FIVE = 'half of 40 rows +5 %, samples within 3 %'

CASES = {
    '40 rows alike, samples within 3 %': Case(40, 0, 0.03, 0.005),
    MANY: Case(150, 0, 0.03, 0.005),
    'one row alike, samples within 3 %': Case(1, 0, 0.03, 0.005),
    FIVE: Case(40, 0.05, 0.03, 0.005),
    'half of 40 rows +10 %, samples within 8 %': Case(40, 0.10, 0.08, 0.005),
}


class Tap:
    def __init__(self):
        self.n = 0

    def check(self, good, what, expected, came):
        self.n += 1
        print(f"{'ok' if good else 'not ok'} {self.n} - {what}: {came}")
        if not good:
            print(f'# expected {expected}, came {came}: linux/report/compare/effects.c, docs/method.md "Comparing"')


def check_case(tap, name, case, tallies, slack):
    """slack: how far a share may lie off by the chance of few trials."""
    found = []
    for runs, t in tallies.items():
        what = f'{name}, {runs} run{"s" * (runs > 1)} a side'
        low, high = COVERED[0] - slack, COVERED[1] + slack if runs > 1 else 1
        if t.null:
            tap.check(t.part('false') <= FALSE_MOST, f'{what}: false differences',
                      f'at most {FALSE_MOST}', round(t.part('false'), 3))
        tap.check(low <= t.part('covered') <= high, f'{what}: covered', f'{low:.2f}..{high:.2f}',
                  round(t.part('covered'), 3))
        if case.effect:
            found.append(t.part('found'))
        if case.effect and runs >= 5:
            tap.check(found[-1] >= FOUND_LEAST, f'{what}: found', f'at least {FOUND_LEAST}',
                      round(found[-1], 3))
    n = sum(t.comparisons for t in tallies.values())
    for wrong in ('failed', 'named', 'false_row') if not case.effect else ('named',):
        part = sum(getattr(t, wrong) for t in tallies.values()) / n
        most = FALSE_ROW_MOST if wrong == 'false_row' else FAILED_MOST
        tap.check(part <= most + slack, f'{name}: of {n} comparisons {wrong}', f'at most {most}', round(part, 4))
    if len(found) > 1:
        tap.check(found == sorted(found), f'{name}: more runs never find less', 'ascending',
                  [round(f, 3) for f in found])


def tallies_of(name, case, trials, all_runs):
    with tempfile.TemporaryDirectory() as folder:
        n = trials * (10 if case.rows == 1 else 1)
        return {runs: try_case(case, runs, n, pathlib.Path(folder), random.Random(f'{name} {runs}'))
                for runs in all_runs}


def main(trials, slack, all_runs=RUNS):
    """trials: of each case. Two cases at a time: each has dice and files of its own."""
    tap = Tap()
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        asked = {name: pool.submit(tallies_of, name, CASES[name], n, all_runs) for name, n in trials.items()}
        for name, task in asked.items():
            check_case(tap, name, CASES[name], task.result(), slack)
    print(f'1..{tap.n}')
