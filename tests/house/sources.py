#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sources.py: what breaks docs/format.md in documents like linux/report/sources/sources.json, a line of
standard input each: "N: ..." for the N-th."""
import json
import sys

# A misspelt member would be no error otherwise.
MEMBERS = {
    'source': 'letter title known_from left_out machines pictures experiments',
    'picture': 'title about experiment form columns x y band levels dotted across down figures end',
    'experiment': 'name place there here why machine machine_why quantities rows',
    'quantity': 'unit name of times',
    'row': 'name ours series figures',
    'series': 'by points from to',
    'selector': 'probe variant level params pages_least pick summary from of times over',
}
wrong = []


def expect(right, where, what):
    if not right:
        wrong.append(f'sources.json: {where}: {what}')


def check_members(kind, given, where):
    expect(not set(given) - set(MEMBERS[kind].split()), where,
           f'{kind} {list(given)}, known are {MEMBERS[kind]}')


def check_selector(s, where):
    check_members('selector', s, where)
    if 'over' in s:
        check_selector(s['over'], where)
    expect(bool(s.get('summary')) == bool(s.get('from')), where,
           'a summary without `from`, or the other way round')
    expect('probe' not in s if s.get('summary') else s.get('probe') and s.get('variant'), where,
           f'neither a row nor a summary: {s}')
    expect(s.get('pick', 'most') in ('most', 'least', 'saturated'), where, f'pick {s.get("pick")}')


def points_of(series):
    x, points = series.get('from', 0), list(series.get('points', []))
    while 'points' not in series and 0 < x <= series['to']:
        points.append(x)
        x *= 2
    return points


def check_figures(row, figures, where, quantities):
    for point in figures if 'series' in row else [figures]:
        numbers = point
        if 'series' in row:
            x, *numbers = point if isinstance(point, list) and point else [None]
            expect(numbers and x in points_of(row['series']), where,
                   f'no point of the series: {point}')
        expect(len(numbers) <= quantities, where, f'more figures than quantities: {point}')
        expect(all(n is None or isinstance(n, (int, float, str)) for n in numbers), where,
               f'no figures: {point}')


def check_row(source, row, where, quantities):
    check_members('row', row, where)
    check_members('series', row.get('series', {}), where)
    ours, figures, machines = row.get('ours'), row.get('figures', {}), source.get('machines', {})
    expect(row.get('name'), where, 'a row without a name')
    expect(not isinstance(ours, list) or len(ours) == quantities, where,
           'not as many selectors as quantities')
    for selector in ours if isinstance(ours, list) else [ours]:
        if selector:
            check_selector(selector, where)
    expect(isinstance(figures, dict) or machines, where, 'figures of no machine')
    for machine, those in figures.items() if isinstance(figures, dict) else [(None, figures)]:
        expect(machine is None or machine in machines, where, f'no machine {machine}')
        check_figures(row, those, where, quantities)


def check_picture(picture, experiments, where):
    check_members('picture', picture, where)
    expect(all(picture.get(key) for key in ('title', 'about', 'experiment', 'x')), where, 'empty')
    expect(picture.get('form', 'bars') in ('bars', 'distribution'), where, f'form {picture.get("form")}')
    expect(picture.get('band', 'row') in ('row', 'inverse'), where, f'band {picture.get("band")}')
    for axis in (picture[key] for key in 'xy' if key in picture):
        expect(len(axis) == 2 and axis[0] in ('linear', 'log', 'bytes', 'count'), where, f'axis {axis}')
    named = [picture.get('experiment'), picture.get('figures')]
    named += [picture[key][0] for key in ('dotted', 'across', 'down') if key in picture]
    for name in filter(None, named):
        expect(name in experiments, where, f'no experiment {name}')
    quantities = len(experiments.get(picture.get('experiment'), {}).get('quantities', []))
    expect(all(0 <= c < quantities for c in picture.get('columns', [])), where, 'no such column')


def check(document):
    for source in document:
        check_members('source', source, source['letter'])
        for picture in source.get('pictures', []):
            check_picture(picture, {e['name']: e for e in source['experiments']}, source['letter'])
        expect(all(source.get(key) for key in ('title', 'known_from', 'left_out', 'experiments')),
               source['letter'], 'empty')
        for e in source['experiments']:
            check_members('experiment', e, e['name'])
            expect(all(e.get(key) for key in ('name', 'place', 'there', 'here', 'quantities', 'rows')) and
                   isinstance(e.get('why'), str), e['name'], 'empty')
            for quantity in e['quantities']:
                check_members('quantity', quantity, e['name'])
                expect(isinstance(quantity.get('unit'), str), e['name'], 'a quantity without a unit')
            for row in e['rows']:
                check_row(source, row, e['name'], len(e['quantities']))


for number, line in enumerate(sys.stdin, 1):
    wrong.clear()
    check(json.loads(line))
    for what in wrong:
        print(f'{number}: {what}')
