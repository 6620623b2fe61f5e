#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_browser.py CHECK PAGE [RESULT...]: a report as a browser shows it. The checks are the functions
below; RESULT are the files of the page, one run each."""
import json
import sys

from browser import Browser

# The ratio of luminances of text against what lies behind it, by WCAG 2.1; 4.5 is its level AA.
CONTRAST = """
(() => {
	const parts = c => c.match(/[\\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = parts(c).slice(0, 3).map(v => v / 255)
		.map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) {
		const c = parts(getComputedStyle(e).backgroundColor);
		if (c.length < 4 || c[3] > 0) return getComputedStyle(e).backgroundColor; }
		return 'rgb(255,255,255)'; };
	const poor = [];
	document.querySelectorAll('body *').forEach(e => {
		const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
		if (!own || ['SCRIPT', 'STYLE', 'title'].includes(e.tagName) || !e.getClientRects().length) return;
		const svg = e.namespaceURI.endsWith('svg');
		const back = svg && e.classList.contains('warn') ?
			getComputedStyle(e.parentElement.querySelector('rect.warn')).fill : behind(e);
		const a = light(svg ? getComputedStyle(e).fill : getComputedStyle(e).color), b = light(back);
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (ratio < 4.5) poor.push(e.tagName + '.' + e.className + ' ' + e.textContent + ' ' + ratio);
	});
	return [...new Set(poor)].slice(0, 10);
})()"""

# Texts of a picture that leave it, or lie over another text of it.
OVERLAPS = """
(() => {
	const found = [];
	document.querySelectorAll('svg.pic').forEach(svg => {
		const box = svg.getBoundingClientRect();
		const texts = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
		const name = svg.querySelector('title').textContent;
		texts.forEach(([text, r], i) => {
			if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 2 || r.bottom > box.bottom + 2)
				found.push(name + ': "' + text + '" leaves the picture');
			texts.slice(0, i).forEach(([other, o]) => {
				const width = Math.min(r.right, o.right) - Math.max(r.left, o.left);
				const height = Math.min(r.bottom, o.bottom) - Math.max(r.top, o.top);
				if (width > 1 && height > 0.35 * Math.min(r.height, o.height))
					found.push(name + ': "' + text + '" over "' + other + '"');
			});
		});
	});
	return found.slice(0, 20);
})()"""

# Moves the pointer to the n-th point of a picture that stands for a row; what the page then says.
HOVER = """
((id, n) => {
	const svg = document.getElementById(id).querySelector('svg');
	svg.scrollIntoView({ block: 'center' });
	const path = svg.querySelector('path[data-r]');
	const xy = path.getAttribute('d').match(/[ML][-\\d.]+ [-\\d.]+/g)[n].slice(1).split(' ').map(Number);
	const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
	svg.dispatchEvent(new PointerEvent('pointermove',
		{ clientX: box.left + xy[0] * scale, clientY: box.top + xy[1] * scale, bubbles: true }));
	return [+path.dataset.run, +path.dataset.r.split(' ')[n], document.getElementById('tip').textContent];
})"""


def fail(why):
    sys.exit(str(why))


def expect(right, why):
    if not right:
        fail(why)


def opened(page, **how):
    browser = Browser(**how)
    browser.open(page)
    expect(not browser.errors, browser.errors)
    expect(len(browser.requests) == 1, f'the page asks for {browser.requests[1:]}')
    return browser


def rows_of(results):
    return [[line for line in map(json.loads, open(name)) if line['kind'] == 'row'] for name in results]


def quiet(page, results):
    """No request, no error; the page was not changed by what is in the results; no text over another."""
    browser = opened(page)
    expect(browser.run('document.title').startswith('anechoic: '), browser.run('document.title'))
    expect(browser.run('document.images.length + document.scripts.length') == 2, 'an image, or another script')
    found = browser.run(OVERLAPS)
    browser.close()
    expect(not found, '\n'.join(found))


def hover(page, results):
    """The pointer, the keys: the file's numbers. A click shows the samples; all rows are in the table."""
    browser, rows = opened(page), rows_of(results)
    pictures = browser.run("[...document.querySelectorAll('figure')].filter(f => "
                           "f.querySelector('path[data-r]')).map(f => f.id)")
    expect(len(pictures) >= 5, pictures)
    for picture in pictures:
        run, row, said = browser.run('%s(%s, 0)' % (HOVER, json.dumps(picture)))
        line = rows[run][row]
        numbers = [line['median'], line['samples']]
        # Of a result that had to fit into EFI variables no others may be left.
        numbers += [line[key] for key in ('min', 'disturbed') if key in line]
        for number in numbers:
            text = browser.run('String(%r)' % number)
            expect(text in said, f'{picture}: expected {text} of {line}, it says {said}')
        expect(line['probe'] in said and line['unit'] in said, said)
    svg = "document.getElementById('%s').querySelector('svg')" % pictures[0]
    key = "%s.dispatchEvent(new KeyboardEvent('keydown', {key: '%%s'}))" % svg
    before = browser.run("document.getElementById('tip').textContent")
    browser.run(key % 'ArrowRight')
    browser.run(key % 'ArrowRight')
    expect(browser.run("document.getElementById('tip').textContent") != before, 'the keys do not move')
    browser.run(key % 'Enter')
    expect(browser.run("document.querySelectorAll('figure.cdf').length") == 1, 'no distribution')
    expect('NaN' not in browser.run("document.querySelector('figure.cdf svg').innerHTML"), 'NaN')
    browser.run(key % 'Enter')
    expect(browser.run("document.querySelectorAll('figure.cdf').length") == 0, 'it does not go away')
    browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    browser.run("new Promise(done => setTimeout(done, 0))")
    table = browser.run("document.querySelectorAll('details.rows tbody tr').length")
    expect(table == sum(map(len, rows)), f'{table} rows in the tables')
    expect(not browser.errors, browser.errors)
    browser.close()


def narrow(page, results):
    """A telephone: nothing is wider than the screen, and what is written can be read."""
    browser = opened(page, width=360, height=740)
    expect(browser.run('document.documentElement.scrollWidth') <= 360,
           'wider: %s' % browser.run("[...document.querySelectorAll('body *')].filter(e => "
                                     "e.getBoundingClientRect().right > 361).map(e => e.tagName + e.className)"
                                     ".slice(0, 9)"))
    sizes = browser.run("[...document.querySelectorAll('svg.pic')].map(s => "
                        "11 * s.getBoundingClientRect().width / s.viewBox.baseVal.width)")
    expect(min(sizes) >= 9, f'text of {min(sizes)} pixels')
    browser.close()


# Elements whose text is wider than they are, but for boxes that scroll.
OVERFLOWS = """
(() => [...document.querySelectorAll('body *')].filter(e => !e.closest('.wide, svg, script') &&
	e.clientWidth && e.scrollWidth > e.clientWidth + 1).map(e => e.tagName + '.' + e.className + ' ' +
	e.textContent.slice(0, 60)).slice(0, 9))()"""


# How far to the right the pictures reach, as a part of the page; 1 if there are too few to fill it.
REACH = """
(() => {
	const main = document.querySelector('main').getBoundingClientRect();
	const right = [...document.querySelectorAll('main figure')].map(f => f.getBoundingClientRect().right);
	return document.querySelectorAll('section.probe').length < 3 ? 1 :
		(Math.max(...right) - main.left) / main.width;
})()"""


def layout(page, results):
    """From a telephone to a wide screen: no line is wider than its column, and the card can be read; one
    box of marks; every section has a name in words and something to see; the pictures use the width."""
    browser = opened(page)
    for width in 390, 800, 1280:
        browser.window(width)
        found = browser.run(OVERFLOWS)
        expect(not found, f'{width}: {found}')
        wide = browser.run('document.documentElement.scrollWidth')
        expect(wide <= width, f'{width}: the page is {wide} wide')
        small = browser.run("Math.min(...[...document.querySelectorAll('#card *')].map(e => "
                            "parseFloat(getComputedStyle(e).fontSize)))")
        expect(small >= 9, f'{width}: letters of {small} pixels in the card')
        reach = browser.run(REACH)
        expect(reach > 0.95, f'{width}: the pictures use {reach} of the width')
    marks = browser.run("document.querySelectorAll('.warn').length")
    expect(marks <= 1, f'{marks} boxes of marks')
    empty = browser.run("[...document.querySelectorAll('section.probe')].filter(s => "
                        "![...s.querySelectorAll('figure')].some(f => f.getClientRects().length)).map(s => s.id)")
    expect(not empty, f'sections with nothing to see: {empty}')
    names = browser.run("[...document.querySelectorAll('h2')].map(h => h.textContent)"
                        ".filter(t => t === t.toLowerCase())")
    expect(not names, f'sections without words: {names}')
    browser.close()


def contrast(page, results):
    for dark in False, True:
        browser = opened(page, dark=dark)
        browser.run("document.querySelectorAll('details').forEach(d => d.open = true)")
        poor = browser.run(CONTRAST)
        browser.close()
        expect(not poor, '%s: %s' % ('dark' if dark else 'light', '\n'.join(poor)))


def opening(page, results):
    """Says how long it took; that is looked at by people."""
    browser = opened(page)
    print('%.1f s' % (browser.run('performance.timing.loadEventEnd - performance.timing.navigationStart') / 1000))
    browser.close()


CHECKS = {'opening': opening, 'quiet': quiet, 'hover': hover, 'narrow': narrow, 'layout': layout, 'contrast': contrast}
for name in sys.argv[1].split(','):
    CHECKS[name](sys.argv[2], sys.argv[3:])
