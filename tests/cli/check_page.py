#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_page.py PAGE RESULT...: what can be said of a report without a browser.

The page asks for nothing; its pictures are well-formed; every probe that was measured has its section
and a picture in it, every other probe a heading under what was not measured; every row is in its data with the file's numbers; what a point says
is one of these rows, as high as its number, and there are as many answers as points. The results have one run each.
"""
import html.parser
import json
import re
import sys
import xml.etree.ElementTree

page = open(sys.argv[1], encoding='utf-8').read()
files = [[json.loads(line) for line in open(name)] for name in sys.argv[2:]]
wrong = []


def expect(right, what):
    if not right:
        wrong.append(what)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.ids, self.links, self.sections, self.figures, self.elements = [], [], [], [], {}, []
        self.in_script = False

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.elements.append((tag, given))
        if 'id' in given:
            self.ids.append(given['id'])
        if tag == 'script':
            self.in_script = True
            self.scripts.append('')
        if tag == 'section':
            self.sections.append(given.get('id', ''))
            self.figures[self.sections[-1]] = 0
        if tag == 'figure':
            self.figures[self.sections[-1]] += 1
        self.links += [value for key, value in attributes if key in ('href', 'src', 'xlink:href', 'action', 'data')]

    def handle_endtag(self, tag):
        if tag == 'script':
            self.in_script = False

    def handle_data(self, data):
        if self.in_script:
            self.scripts[-1] += data


parsed = Page()
parsed.feed(page)
parsed.close()

expect(len(parsed.scripts) == 2, f'{len(parsed.scripts)} scripts: expected the data and the script')
expect(len(set(parsed.ids)) == len(parsed.ids), 'an id stands twice')
for tag, given in parsed.elements:
    expect(tag not in ('img', 'iframe', 'link', 'object', 'embed', 'base', 'form', 'image', 'use'),
           f'an element <{tag}>')
    expect(not [key for key in given if key.startswith('on')], f'<{tag}> has a script: {given}')
for link in parsed.links:
    expect(re.fullmatch(r'#[^:]*|(/[^:]*)?probes/[a-z]+/README\.md', link, re.S), f'a link that leads elsewhere: {link}')
    expect(not link.startswith('#') or link[1:] in parsed.ids, f'a link to nothing: {link}')
expect(not set(re.findall(r'[a-z]+://[^"\' <>]+', page)) - {'http://www.w3.org/2000/svg'}, 'an address')

data = json.loads(parsed.scripts[0])
expect({'median', 'min', 'p90', 'samples', 'disturbed'} <= set(data['columns']), f'only {data["columns"]}')
expect(len(data['runs']) == len(files), f'{len(data["runs"])} runs, {len(files)} results')
rows = []
for run, lines in zip(data['runs'], files):
    shown = {}
    for group in run['groups']:
        for numbers in group['r']:
            shown[numbers[0]] = [group['p'], group['v'], group['u']] + numbers[2:]
    rows.append(shown)
    measured = [line for line in lines if line['kind'] == 'row']
    expect(len(shown) == len(measured), f'{len(shown)} rows of {len(measured)}')
    for i, line in enumerate(measured):
        keys = ['probe', 'variant', 'unit'] + data['columns'][2:]
        expect(shown.get(i) == [line.get(key) for key in keys], f'row {i}: {shown.get(i)}, the file has {line}')
        samples = run['s'].get(str(i), [])
        expect(set(samples) <= set(line.get('values', [])) and samples == sorted(samples),
               f'row {i}: samples that the file has not, or in disorder')
    for probe in {line['probe'] for line in lines if line['kind'] in ('row', 'skip') and 'probe' in line}:
        section = 'probe-' + probe
        expect(section in parsed.ids, f'{probe} is not on the page')
        if any(probe in {line['probe'] for line in other if line['kind'] == 'row'} for other in files):
            expect(parsed.figures.get(section), f'{probe} was measured and has no section with a picture')
        else:
            expect(section not in parsed.sections, f'{probe} has a section and was not measured')



def numbers_as_written(text):
    return json.loads(text, parse_float=str, parse_int=str)


for run, name in zip(numbers_as_written(parsed.scripts[0])['runs'], sys.argv[2:]):
    measured = [line for line in map(numbers_as_written, open(name)) if line['kind'] == 'row']
    for group in run['groups']:
        for numbers in group['r']:
            line = measured[int(numbers[0])]
            want = [line.get(key) for key in data['columns'][2:]]
            expect(numbers[2:] == want, f'row {numbers[0]}: {numbers[2:]}, the file has the texts {want}')
            samples = run['s'].get(numbers[0], [])
            expect(set(samples) <= set(line.get('values', [])), f'row {numbers[0]}: samples in other words')

HEIGHTS = ('Latency of dependent loads', 'Bandwidth by size', 'Out-of-order window', 'Return stack')


def expect_heights(title, path):
    """Where the number rises by 5 %, the curve rises: the rows are those of the points."""
    places = [[float(n) for n in place.split(' ')] for place in re.findall(r'[ML]([-\d.]+ [-\d.]+)', path.get('d'))]
    medians = [rows[int(path.get('data-run'))][int(i)][3] for i in path.get('data-r').split(' ')]
    for (before, after), (a, b) in zip(zip(medians, medians[1:]), zip(places, places[1:])):
        expect(a[0] <= b[0], f'{title}: the points are in disorder')
        if after > 1.05 * before or before > 1.05 * after:
            expect((after > before) == (b[1] < a[1]), f'{title}: {before} to {after} from {a} to {b}')


pictures = re.findall(r'<svg class="pic".*?</svg>', page, re.S)
expect(len(pictures) == sum(parsed.figures.values()), f'{len(pictures)} pictures')
for picture in pictures:
    try:
        tree = xml.etree.ElementTree.fromstring(picture)
    except xml.etree.ElementTree.ParseError as error:
        wrong.append(f'{error}: {picture[:200]}')
        continue
    for path in tree.iter('{http://www.w3.org/2000/svg}path'):
        points = len(re.findall('[ML]', path.get('d')))
        if path.get('data-r') is not None:
            answers = path.get('data-r').split(' ')
            expect(all(int(i) in rows[int(path.get('data-run'))] for i in answers), 'a point of no row')
            expect(len(answers) == points, f'{len(answers)} answers of {points} points')
            if tree.find('{http://www.w3.org/2000/svg}title').text in HEIGHTS:
                expect_heights(tree[0].text, path)
        if path.get('data-t') is not None:
            expect(len(path.get('data-t').split('|')) == points, f'{points} points, other answers')

for line in wrong[:20]:
    print(line)
sys.exit(1 if wrong else 0)
