# SPDX-License-Identifier: MIT
"""Results of many machines that nobody measured: equal machines with scatter, and some that are not."""
import random

from made_result import Result

MODELS = ('AMD EPYC 7313 16-Core Processor', 65536), ('AMD EPYC 7313 16-Core Processor', 65538), \
    ('Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz', 131072), ('AMD EPYC 9354 32-Core Processor', 4096)

# name, unit, value, scatter (a part, from machine to machine)
SMOOTH = [('core_clock_hz', 'Hz', 3.6e9, .001), ('core_tsc_ratio', 'cycles/tick', 1.2, .001)]
for _level, _ns, _read in ('l1d', 1.11, 48), ('l2', 3.6, 30), ('l3', 13, 18), ('memory', 105, 3.7):
    _short = _level.removesuffix('d')
    SMOOTH += [(f'{_level}_latency_ns', 'ns', _ns, .004), (f'{_level}_latency_cycles', 'cycles', 3.6 * _ns, .004)]
    SMOOTH += [(f'{way}_bytes_per_cycle_{_short}', 'bytes/cycle', _read * part, .004)
               for way, part in (('read', 1), ('write', .6), ('copy', .8))]
SMOOTH += [('mispredict_cycles', 'cycles', 14.4, .004), ('parallel_misses', 'misses', 22, .004),
           ('page_size_effect', 'ratio', 1.4, .004), ('stlb_hit_cycles', 'cycles', 7, .004),
           ('walk_cycles', 'cycles', 36, .004)]
# name, unit, value, step: three of four machines say the value, the others one step more or less
COUNTED = [('l1d_bytes', 'bytes', 32768, 512), ('l2_bytes', 'bytes', 524288, 8192),
           ('l3_bytes', 'bytes', 33554432, 524288), ('dtlb_4k_entries', 'entries', 64, 1),
           ('stlb_entries', 'entries', 2048, 32), ('window_instructions', 'instructions', 256, 1),
           ('l1d_ways', 'ways', 8, 1), ('predictor_branches', 'branches', 16384, 512),
           ('branch_targets', 'targets', 8130, 64), ('return_stack', 'calls', 32, 1)]
VALUES = len(SMOOTH) + len(COUNTED) + 3


def summary(result, name, unit, value, **members):
    result.add('summary', name=name, value=value, unit=unit, claimed=None, confidence=.9, rests_on='x', **members)


def write(path, dice, model=0, off=None, room='bare', rows=0, **head):
    """One machine's result. off: {name: factor}; rows: of samples, for the size of a real file."""
    off = off or {}
    brand, revision = MODELS[model]
    firmware = {'firmware': {'vendor': 'Maker', 'revision': revision, 'uefi_revision': 131142}} if room != 'hosted' else {}
    result = Result(room, **{'cpu': {'vendor': 'X', 'brand': brand, 'family': 25, 'model': model // 2,
                                     'stepping': 1, 'microcode': 0xa0011d1}, 'profile': 'default', **firmware, **head})
    for row in range(rows):
        result.row('pointer-padded', [round(dice.gauss(10, .1), 6) for _ in range(25)],
                   params={'bytes': 1024 << row % 16, 'page_bytes': 2 << 20})
    for name, unit, value, scatter in SMOOTH:
        value *= 1 + .07 * (model // 2) + .06 * (model == 1 and name == 'memory_latency_ns')
        summary(result, name, unit, value * dice.gauss(1, scatter) * off.get(name, 1))
    for name, unit, value, step in COUNTED:
        value = round(value * off.get(name, 1)) + step * dice.choices((0, 1, -1), (6, 1, 1))[0]
        summary(result, name, unit, value, low=value, high=value + step)
    for name, unit, value in ('noise_gaps_per_second', 'gaps/s', 9), ('noise_stolen_ppm', 'ppm', 12), \
            ('noise_longest_ns', 'ns', 9000):
        summary(result, name, unit, value * dice.lognormvariate(0, .5) * off.get(name, 1))
    result.write(path)


OFF = [{'memory_latency_ns': 1.04}, {'read_bytes_per_cycle_l2': .96}, {'walk_cycles': 1.04, 'stlb_hit_cycles': .96},
       {'core_clock_hz': .96, 'memory_latency_cycles': 1.04}, {'copy_bytes_per_cycle_memory': .96}]


EVEN = (0, 1, 2, 3)                               # the models of the machines, one after the other
UNEVEN = (0,) * 12 + (1,) * 6 + (2, 3)            # 300, 150, 25 and 25 of 500


def fleet(folder, machines, seed, rows=0, off=OFF, models=EVEN):
    """machines results in the folder; returns {name: its factors} of those that are off."""
    dice = random.Random(seed)
    odd = dict(zip(dice.sample(range(machines), len(off)), off))
    for n in range(machines):
        write(f'{folder}/node-{n:04}.ndjson', dice, models[n % len(models)], odd.get(n), rows=rows)
    return {f'{folder}/node-{n:04}': factors for n, factors in odd.items()}
