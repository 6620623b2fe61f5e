#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_pictures.py PAGE OTHER: whether two pages have the same figures, drawings and data included; but
for the sources' own, which only the Linux program draws."""
import json
import re
import sys

pages = [open(name, encoding='utf-8').read() for name in sys.argv[1:3]]
figures = [dict(re.findall(r'<figure id="(?!picture-source-)([^"]*)">(.*?)</figure>', page, re.S))
           for page in pages]
data = [re.search(r'id="data">(.*?)</script>', page, re.S)[1] for page in pages]
if len(figures[0]) < 3 or list(figures[0]) != list(figures[1]):
    sys.exit(f'{sys.argv[1]} has {list(figures[0])}\n{sys.argv[2]} has {list(figures[1])}')
for name in figures[0]:
    if figures[0][name] != figures[1][name]:
        sys.exit(f'{name} is another picture:\n{figures[0][name][:900]}\n{figures[1][name][:900]}')
if json.loads(data[0]) != json.loads(data[1]):
    sys.exit('the rows are others')
print(f'{len(figures[0])} figures: {" ".join(figures[0])}')
