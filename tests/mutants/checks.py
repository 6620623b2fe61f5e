# SPDX-License-Identifier: MIT
"""Which tests know a source file, and how each says that something is wrong."""
import os
import pathlib
import re
import resource
import subprocess

QUICK = 'tests/kam/mutations/quick.ini'
PAIRS = 'tests/kam/mutations/quick-pairs.ini'  # lines that come in pairs
CORES = 'tests/kam/cpus/two-domains.ini'       # several processors
BY_PAIRS = ('latency', 'latency_curve', 'mlp', 'lanes', 'window', 'node_bytes', 'chain', 'pace')
CPU_SECONDS = 300  # of one test: what takes longer does not end

# Unit tests of a whole folder, beside those that include the file's header or name it.
FOLDERS = {
    'infer': ['infer_curve_test', 'infer_shape_test', 'summary_test'],
    'engine': ['engine_test', 'plan_test', 'samples_test', 'summary_test', 'table_test'],
    'lib': ['stats_test', 'engine_test', 'samples_test'],
    'kernel': ['paging_test', 'tsc_choice_test', 'counters_test', 'msr_test'],
    'probes': ['engine_test', 'summary_test'],
    'probes/loops': ['chase_loops_test', 'stream_loops_test', 'random_loops_test',
                     'branch_loops_test', 'ilp_loops_test', 'swap_loops_test'],
}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def call(tree, *words):
    return subprocess.run(words, cwd=tree.path, capture_output=True, text=True, errors='replace',
                          preexec_fn=limit, env={**os.environ, 'CMOCKA_MESSAGE_OUTPUT': 'TAP'})


def unit_tests(top, file):
    path = pathlib.Path(file)
    names = list(FOLDERS.get(str(path.parent), FOLDERS[path.parts[0]]))
    names += FOLDERS[path.parts[0]]
    header = re.escape(str(path.with_suffix('.h')))
    word = re.compile(rf'"{header}"|\b{re.escape(path.stem)}\b')
    for test in sorted((top / 'tests/unit').glob('*_test.c')):
        if word.search(test.read_text()):
            names.append(test.stem)
    return [n for n in dict.fromkeys(names) if (top / f'tests/unit/{n}.c').exists()]


def unit(name):
    program = f'build/san/tests/unit/{name}'

    def check(tree):
        wrong = tree.make(program)
        if wrong:
            return f'{name} cannot be built: {wrong[-200:]}'.replace('\n', ' ')
        p = call(tree, program)
        failed = [line for line in p.stdout.splitlines() if line.startswith('not ok')]
        return f'{name}: {failed[0] if failed else p.returncode}' if p.returncode else None
    return check


def machine(ini, *options):
    """The known-answer machine must measure what its file declares."""
    def check(tree):
        result = 'build/mutant.ndjson'
        p = call(tree, 'build/kam', '--cpu', ini, '--image', 'build/BOOTX64.EFI', '--out',
                 result, *options)
        if p.returncode:
            last = (p.stdout + p.stderr).strip().splitlines()
            return f"kam ends with {p.returncode}: {last[-1] if last else ''}"
        p = call(tree, 'build/kam', '--check', ini, result)
        wrong = [line for line in p.stdout.splitlines() if 'WRONG' in line]
        return (wrong[0] if wrong else p.stderr.strip() or 'wrong') if p.returncode else None
    return check


def of(top, file):
    """The checks that know a file, the quickest first."""
    path = pathlib.Path(file)
    tests = [unit(n) for n in unit_tests(top, file)]
    if path.parts[0] == 'kernel':
        return tests + [machine(QUICK, '--layer', 'b')]
    if path.parts[:2] == ('probes', 'cores'):
        return tests + [machine(CORES, '--probes', 'cores')]
    if path.stem in BY_PAIRS:
        tests.append(machine(PAIRS, '--every-row', '--probes', 'latency,mlp,window'))
    if path.parts[0] == 'probes' and path.parts[1] != 'loops':
        probe = path.parts[1] if len(path.parts) > 2 else path.stem
        known = (top / 'probes/probes.inc').read_text()
        if re.search(rf'\b{probe}\b', known):
            return tests + [machine(QUICK, '--every-row', '--probes', probe)]
    return tests + [machine(QUICK, '--every-row')]
