#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""golden.py [--write]: the report's pictures of fixed results against those kept in tests/page/golden/.

Some are kept whole, as files, an element a line: between them they have every kind of element. Of
each other one golden/outlines has a line: the CRC-32 of its SVG, its title and its texts. What
differs is named, with what was kept and what came, and the new picture is left in build/golden/;
--write (make golden) keeps the new ones.
"""
import pathlib
import re
import subprocess
import sys
import zlib

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


def outline(svg):
    return '%08x %s' % (zlib.crc32(svg.encode()), ' | '.join(re.findall(r'<(?:title|text)[^>]*>([^<]*)', svg)))


def difference(old, text):
    if old.split()[1:] == text.split()[1:]:
        return f'its texts are as kept, its drawing is not: kept {old[:8]}, came {text[:8]}'
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
whole = {path.stem for path in kept.glob('*.svg')}
old = {name: (kept / f'{name}.svg').read_text() for name in whole}
old.update(line.split(' ', 1) for line in (kept / 'outlines').read_text().splitlines())
now = {name: svg if name in whole else outline(svg) for name, svg in came.items()}
wrong = []
for name in sorted(set(now) | set(old)):
    if name not in now:
        wrong.append(f'{name}: no such picture is drawn any more')
    elif name not in old:
        wrong.append(f'{name}: a new picture, none is kept')
    elif now[name] != old[name]:
        wrong.append(f'{name}: {difference(old[name], now[name])}')
    if now.get(name) != old.get(name):
        (new / f'{name}.svg').write_text(came.get(name, ''))
if '--write' in sys.argv:
    for name in whole - set(now):
        (kept / f'{name}.svg').unlink()
    for name in whole & set(now):
        (kept / f'{name}.svg').write_text(now[name])
    (kept / 'outlines').write_text(''.join(f'{name} {now[name]}\n' for name in sorted(set(now) - whole)))
    print(f'{len(came)} pictures kept, {len(wrong)} of them differ from before')
elif wrong:
    sys.exit('\n'.join(wrong) + '\nThe new ones are in build/golden/; make golden keeps them.')
elif len(came) < 40:
    sys.exit(f'only {len(came)} pictures')
