#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skew_edits.py MACHINE.ini RESULT FOLDER: the bounds of each row of `skew` are moved by their whole
width, or made so wide that they say nothing, and its values are moved likewise: the judge must call
each wrong by its name. As it was measured nothing may be called wrong."""
import json
import pathlib
import subprocess
import sys

from result_lines import write

ini, result, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
lines = [json.loads(text) for text in result.read_text().splitlines()]
folder.mkdir(parents=True, exist_ok=True)
cases = [(folder / "as-measured", lines, None)]


def case(name, at, line):
    path = folder / f"{len(cases)}"
    cases.append((path, lines[:at] + [line] + lines[at + 1:], name))


def moved(has, low, high):
    """Bounds that no longer have the truth: as wide, above and below."""
    width = has[high] - has[low]
    return [has | {low: has[low] + by, high: has[high] + by} for by in (width, -width)]


for at, line in enumerate(lines):
    kind, of = line["kind"], line.get("variant", line.get("name"))
    if line.get("probe") != "skew" or kind == "skip":
        continue
    unit = {"offset": "ns", "drift": "ppm"}.get(of)
    if kind == "row" and unit:
        more, low, high = line["more"], f"low_{unit}", f"high_{unit}"
        for edited in moved(more, low, high):
            case(f"skew:{of} bounds", at, line | {"more": edited})
        if of == "offset":
            case("skew:offset bounds", at, line | {"more": more | {low: 3 * more[low] - 2 * more[high]}})
    elif line.get("value") is not None:
        if "low" in line:
            for edited in moved(line, "low", "high"):
                case(of, at, edited | {"value": edited["low"]})
            case(of, at, line | {"value": line["low"] if line["value"] > line["low"] else line["high"]})
        else:
            case(of, at, line | {"value": line["value"] + 1})
        case(of, at, line | {"value": None, "confidence": 0, "reason": "no"})

for path, edited, _ in cases:
    write(path, edited)
out = subprocess.run(["build/kam", "--check", ini, *(str(path) for path, _, _ in cases)],
                     capture_output=True, text=True, check=False).stdout
missed = []
for (path, _, name), said in zip(cases, out.split("== ")[1:]):
    wrong = [l for l in said.split("\n") if "WRONG" in l]
    if name and not any(l.startswith(name) for l in wrong) or not name and wrong:
        missed.append(f"{path}: expected {name or 'nothing'} WRONG, got {wrong}")
print(f"{len(cases)} results, {len(cases) - len(missed)} of them judged as they should be")
sys.exit("\n".join(missed) or None)
