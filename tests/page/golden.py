#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""golden.py [--write]: the report's pictures of fixed results against those kept in tests/page/golden/.

Each is a file, an element a line. What differs is named, with the first line that does, and the new
picture is left in build/golden/ beside a list of all; --write (make golden) keeps the new ones.
"""
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
top, kept, new = here.parents[1], here / 'golden', here.parents[1] / 'build' / 'golden'
# Those that have pictures of their own: a new probe changes none of them.
PROBES = 'latency,mlp,bandwidth,noise,random,stride,shuffle,tlb,window,ways,branch,ilp,matmul,cores,clock'
# Of two rooms of a machine and an emulator, which is another, some pictures stand for all.
ROOMS = r'picture-((latency|mlp|noise|tlb|cores|latency-others-0)-0|latency-1|cores-bounce-2)$'


def pictures(names, results):
    """name -> text, of the figures of a page whose names match."""
    page = subprocess.run(['build/anechoic', 'report', '--probe', PROBES, *results], check=True, cwd=top,
                          capture_output=True, text=True).stdout
    figures = re.findall(r'<figure id="([^"]*)">.*?(<svg.*?</svg>)\n</figure>', page, re.S)
    return {name: svg.replace('><', '>\n<') + '\n' for name, svg in figures if re.match(names, name)}


def made(name, *how):
    subprocess.run([sys.executable, 'tests/cli/page_result.py', new / name, *how], check=True, cwd=top)
    return new / name


def first_difference(old, text):
    for number, (a, b) in enumerate(zip(old.split('\n'), text.split('\n')), 1):
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            part = slice(max(at - 30, 0), at + 50)
            return f'line {number}, from column {part.start}:\n  kept {a[part]!r}\n  came {b[part]!r}'
    return 'one of them is longer'


new.mkdir(parents=True, exist_ok=True)
hosted, emulated, bare = made('a.ndjson'), made('q.ndjson', 'firmware', 'QEMU'), made('b.ndjson', 'bare')
came = {'one-' + name: svg for name, svg in pictures('.', [hosted]).items()}
came.update(('rooms-' + name, svg) for name, svg in pictures(ROOMS, [hosted, emulated, bare]).items())
old = {path.stem: path.read_text() for path in kept.glob('*.svg')}
wrong = []
for name in sorted(set(came) | set(old)):
    if name not in came:
        wrong.append(f'{name}: no such picture is drawn any more')
    elif name not in old:
        wrong.append(f'{name}: a new picture, none is kept')
    elif came[name] != old[name]:
        wrong.append(f'{name}: {first_difference(old[name], came[name])}')
    if came.get(name) != old.get(name):
        (new / f'{name}.svg').write_text(came.get(name, ''))
if '--write' in sys.argv:
    kept.mkdir(exist_ok=True)
    for name in old:
        (kept / f'{name}.svg').unlink()
    for name, svg in came.items():
        (kept / f'{name}.svg').write_text(svg)
    print(f'{len(came)} pictures kept, {len(wrong)} of them differ from before')
elif wrong:
    sys.exit('\n'.join(wrong) + '\nThe new ones are in build/golden/; make golden keeps them.')
elif len(came) < 40:
    sys.exit(f'only {len(came)} pictures')
