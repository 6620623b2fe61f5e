# SPDX-License-Identifier: MIT
"""Which tests know a source file, and how each says that something is wrong."""
import os
import pathlib
import re
import resource
import subprocess

QUICK = 'tests/kam/mutations/quick.ini'
PAIRS = 'tests/kam/mutations/quick-pairs.ini'  # lines that come in pairs
CACHED = 'tests/kam/mutations/quick-cached.ini'  # only a flush makes a load miss
CORES = 'tests/kam/cpus/two-domains.ini'       # several processors
BY_PAIRS = ('latency', 'mlp', 'lanes', 'window', 'node_bytes', 'chain', 'pace')
LINUX = ('oscost', 'remedies')  # their rows need a system, which the machine has not
FLUSHED = ('mlp', 'lanes', 'window')
CPU_SECONDS = 300  # of a run of the machine: what takes longer does not end
UNIT_SECONDS = 100 # of a unit test: the longest, engine/run_test, takes 20

# Rows that profile smoke does not plan, of each probe: quick here, as in tests/kam/rows.bats.
OF_PROFILE = {
    'latency': ['default', '--largest', '1k', '--probes', ','.join(
        f'latency:method-{m}' for m in ('checked', 'unchecked', 'padded', 'raw', 'raw-padded'))],
    'ilp': ['default', '--probes', 'ilp:int-prefix-sum,ilp:int-differences,ilp:factorials-loop,'
            'ilp:factorials-calls'],
    'branch': ['default', '--probes', 'branch:word-odd-random,branch:word-odd-odd,'
               'branch:word-odd-even,branch:word-free-odd'],
    'mlp': ['default', '--largest', '1k', '--probes',
            'mlp:batch,mlp:batch-work,mlp:batch-prefetch'],
}

# Unit tests of a whole folder, by patterns, beside those of known_to().
FOLDERS = {
    'engine/infer': ['engine/bisect_test', 'engine/card_test', 'engine/period_test', 'engine/points_test',
                     'engine/r*_test', 'engine/since_test', 'engine/staircase*_test',
                     'probes/registry_found_test'],
    'engine': ['engine/run_test', 'engine/plan_test', 'engine/table_test', 'engine/measure*_test',
               'engine/find*_test', 'linux/statistics_test', 'probes/registry_found_test'],
    'lib': ['lib/stats_test', 'engine/run_test', 'linux/statistics_test'],
    'kernel': ['kernel/address_space_test', 'kernel/tsc_test', 'kernel/cpu_controls_test',
               'kernel/msr_test'],
    'kernel/watchdog': ['kernel/watchdog_test'],
    'probes': ['probes/registry_*_test', 'engine/run_test'],
    'probes/loops': ['*_loops_test', 'engine/run_test'],
}


def call(tree, *words, seconds=CPU_SECONDS):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    return subprocess.run(words, cwd=tree.path, capture_output=True, text=True, errors='replace',
                          preexec_fn=limit, env={**os.environ, 'CMOCKA_MESSAGE_OUTPUT': 'TAP'})


def name_of(test):
    """Its program below build/san/."""
    return str(test.with_suffix(''))


def known_to(top, tests, path):
    """The file's own tests; then those that include it or its header, name it or a loop of it, or
    begin with the first word of its name."""
    header = re.escape(str(path.with_suffix(''))) + r'\.[ch]'
    loops = re.findall(r'^BEGIN_LOOP (\w+)$', (top / path).read_text(), re.M)
    word = re.compile('|'.join([f'"{header}"', rf'\b{re.escape(path.stem)}\b',
                                *(rf'\bloop_{name}\b' for name in loops)]))
    first = path.stem.split('_')[0] + '_'
    known = [t for t in tests if t.name.startswith(first) or word.search((top / t).read_text())]
    return [name_of(t) for t in sorted(known, key=lambda t: not t.name.startswith(f'{path.stem}_'))]


def with_headers(top, test):
    """The text of a test, and of what it includes of the tests' own headers."""
    text = (top / test).read_text()
    own = re.findall(r'^#include "tests/unit/(\w+\.h)"', text, re.M)
    return text + ''.join(with_headers(top, pathlib.Path('tests/unit') / name) for name in own)


def with_a_bench(top, tests, path):
    """The tests that run probes, or what is found from their rows, in a room of their own."""
    if path.parts[0] not in ('engine', 'probes'):
        return []
    room = re.compile(r'fake_room\.h|summary_rows\.h|engine/bench\.h|engine/measure\.[ch]')
    return [name_of(t) for t in tests if room.search(with_headers(top, t))]


def unit_tests(top, file):
    """Those that know the file first: they are the likeliest to notice."""
    path = pathlib.Path(file)
    tests = sorted(t.relative_to(top) for pattern in ('tests/unit/*/*_test.c', 'probes/*/*_test.c')
                   for t in top.glob(pattern))
    patterns = FOLDERS.get(str(path.parent)) or FOLDERS.get(path.parts[0], [])
    return list(dict.fromkeys(known_to(top, tests, path) + [
        name_of(t) for pattern in patterns for t in tests if t.match(pattern + '.c')] +
        with_a_bench(top, tests, path)))


# Tests of whole programs, by the beginning of a file's path, the longest that fits; beside the units.
PROGRAMS = {
    'efi': ['boot/image.bats -f endbr64', 'kam/hostile.long.bats -f sev-guest', 'kam/full-system.tap', 'kam/hostile.bats', 'kam/hostile-storing.bats', 'kam/hostile-runtime.bats'],
    'efi/display': ['kam/full-system.tap', 'kam/display.bats'],
    'efi/files': ['kam/hostile-storing.bats', 'kam/hostile.long.bats -f file-', 'kam/full-system.tap',
                  'kam/hostile.bats', 'kam/hostile-runtime.bats'],
    'efi/server_tftp': ['boot/network.long.bats -f PXE'],
    'efi/mp_services': ['kam/full-system.tap', 'kam/hostile-others.bats', 'kam/hostile.bats'],
    'kernel': ['kam/full-system.tap', 'kam/hostile.bats', 'kam/hostile-storing.bats', 'kam/hostile-runtime.bats'],
    'kernel/console': ['kam/full-system.tap', 'kam/display.bats'],
    'kernel/cpu': ['kam/full-system.tap', 'kam/hostile.bats', 'kam/counters.long.bats', 'kam/hostile-runtime.bats'],
    'kernel/dashboard': ['kam/display.bats'],
    'kernel/smp': ['kam/hostile-others.bats', 'kam/hostile.long.bats -f ap-spins'],
    'lib': ['cli/report.bats', 'cli/exports.bats'],
    'lib/qr': ['cli/qr.bats'],
    'linux': ['cli/run.bats', 'cli/report.bats', 'cli/noise.bats', 'cli/noise.long.bats', 'cli/oscost.bats', 'cli/unknown.bats'],
    'linux/boot': ['cli/boot.bats'],
    'linux/command_anonymize': ['cli/anonymize.bats', 'cli/report.bats'],
    'linux/command_check': ['cli/check.bats', 'cli/report.bats'],
    'linux/command_import': ['cli/report.bats', 'cli/qr.bats'],
    'linux/command_show': ['cli/report.bats', 'cli/since.bats'],
    'linux/command_compare': ['cli/report.bats', 'cli/gate.tap', 'cli/fleet.bats'],
    'linux/command_export': ['cli/exports.bats'],
    'page': ['cli/page.bats', 'page/golden.bats'],
    'page/picture': ['cli/page.bats', 'page/golden.bats', 'kam/display.bats'],
    'linux/report': ['cli/report.bats', 'cli/exports.bats'],
    'linux/report/board': ['cli/check.bats'],
    'linux/report/compare': ['cli/report.bats', 'cli/gate.tap', 'cli/chance.tap'],
    'linux/report/export': ['cli/exports.bats'],
    'linux/report/fleet': ['cli/fleet.bats', 'cli/fleet_queries.bats'],
    'linux/report/sources': ['cli/sources.bats', 'cli/exports.bats'],
}


def program(name):
    """A .bats or .tap of probes/ or below tests/, and behind its name words that bats is given."""
    file, *words = name.split()
    path = file if file.startswith('probes/') else f'tests/{file}'

    def check(tree):
        bats = ['bats', '--tap', *words] if file.endswith('.bats') else []
        p = call(tree, *bats, path)
        failed = [line for line in p.stdout.splitlines() if line.startswith('not ok')]
        return f'{name}: {failed[0] if failed else p.returncode}' if failed or p.returncode else None
    check.__name__ = name
    return check


def programs(file):
    fits = [begin for begin in PROGRAMS if file.startswith(begin)]
    return [program(name) for name in PROGRAMS[max(fits, key=len)]] if fits else []


def unit(name):
    program = f'build/san/{name}'

    def check(tree):
        wrong = tree.make(program)
        if wrong:
            return f'{name} cannot be built: {wrong[-200:]}'.replace('\n', ' ')
        p = call(tree, program, seconds=UNIT_SECONDS)
        failed = [line for line in p.stdout.splitlines() if line.startswith('not ok')]
        return f'{name}: {failed[0] if failed else p.returncode}' if p.returncode else None
    check.__name__ = name
    return check


def machine(ini, *options, about=''):
    """The known-answer machine must measure what its file declares, in what begins with `about`."""
    def check(tree):
        result = 'build/mutant.ndjson'
        p = call(tree, 'build/kam', '--cpu', ini, '--image', 'build/BOOTX64.EFI', '--out',
                 result, *options)
        if p.returncode:
            last = (p.stdout + p.stderr).strip().splitlines()
            return f"kam ends with {p.returncode}: {last[-1] if last else ''}"
        p = call(tree, 'build/kam', '--check', ini, result)
        wrong = [line for line in p.stdout.splitlines() if 'WRONG' in line]
        if about:
            wrong = [line for line in wrong if line.startswith(about)]
            return wrong[0] if wrong else None
        return (wrong[0] if wrong else p.stderr.strip() or 'wrong') if p.returncode else None
    check.__name__ = ' '.join([ini, *options])
    return check


def of_profile(probe):
    """The probe's rows of OF_PROFILE. Of so few, what is found from the others is not resolved."""
    rows = OF_PROFILE.get(probe)
    return [machine(QUICK, '--every-row', '--profile', *rows,
                    about=('every_row', probe + ':'))] if rows else []


def documented(tree):
    """Constants that decide what is believed stand in the documents with their values."""
    p = call(tree, 'bats', 'tests/house/thresholds.bats')
    failed = [line for line in p.stdout.splitlines() if line.startswith('not ok')]
    return failed[0] if failed else None


def decoded(tree):
    """The loops must execute what their lines in loops.inc say."""
    p = call(tree, 'build/kam', '--loops', 'build/BOOTX64.EFI')
    wrong = [line for line in p.stdout.splitlines() if 'WRONG' in line]
    return (wrong[0] if wrong else p.stderr.strip() or 'wrong') if p.returncode else None


def set_of(top, path, ending='bats'):
    """The tests on stated machines of the probe that a file of probes/ is of, if there are some."""
    name = f'probes/{path.parts[1]}/{path.parts[1]}_stated.{ending}'
    return [program(name)] if (top / name).exists() else []


def of(top, file):
    """The checks that know a file, the quickest first, those of the long set last."""
    long = set_of(top, pathlib.Path(file), 'long.bats') if file.startswith('probes/') else []
    return sorted(of_file(top, file) + long, key=lambda check: '.long.' in check.__name__)


def of_file(top, file):
    path = pathlib.Path(file)
    tests = [unit(n) for n in unit_tests(top, file)]
    if path.parts[0] == 'probes':
        tests += set_of(top, path)
    if path.parts[:2] == ('probes', 'loops') or path.stem.endswith('_loops'):
        return [decoded] + tests + [machine(QUICK, '--every-row'),
                                    machine(CORES, '--probes', 'cores:bounce')]
    if path.parts[0] == 'efi':  # no unit program has it
        return [machine(QUICK, '--layer', 'b')] + programs(file)
    if path.parts[0] == 'kernel':
        return tests + [machine(QUICK, '--layer', 'b')] + programs(file)
    if path.parts[0] in ('linux', 'page'):
        return tests + programs(file)
    if path.parts[:2] == ('probes', 'cores'):
        return tests + [machine(CORES, '--probes', 'cores')]
    if path.parts[:2] == ('engine', 'infer') or file in (top / 'tests/house/thresholds.bats').read_text():
        tests.insert(0, documented)
    if path.stem in BY_PAIRS:
        tests.append(machine(PAIRS, '--every-row', '--probes', 'latency,mlp,window'))
    if path.stem in FLUSHED:
        tests.append(machine(CACHED, '--probes', 'window,mlp:chains',
                             about=('window', 'parallel_misses', 'mlp')))
    if path.parts[0] == 'probes':
        probe = path.parts[1] if len(path.parts) > 2 else path.stem
        tests += of_profile(probe)
        if probe in LINUX:
            return tests + [program('cli/oscost.bats'), program('cli/run.bats')]
        known = re.findall(r'^const struct hooks probe_(\w+) =', (top / path).read_text(), re.M) + [probe]
        listed = (top / 'probes/probes.inc').read_text()
        for name in known:
            if re.search(rf'\b{name}\b', listed):
                return tests + [machine(QUICK, '--every-row', '--probes', name)]
    return tests + [machine(QUICK, '--every-row')] + programs(file)
