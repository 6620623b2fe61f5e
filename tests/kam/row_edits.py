#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""row_edits.py MACHINE.ini RESULT FOLDER RULE...: each RULE is PROBE:VARIANT, PROBE:VARIANT:LEVEL or
PROBE:VARIANT:PARAMETER=VALUE. Of its rows the first, the middle and the last one are made 1.3 times
as much and as little, all their numbers alike, so that only a rule about what they measure can
notice: the judge must call the row wrong by its name, and say what it expected. Of a sum of several CPUs the share of one is
taken away instead. As it was measured it must not be called wrong."""
import json
import pathlib
import re
import subprocess
import sys

from result_lines import scaled, write

FACTOR = 1.3

ini, result, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
lines = [json.loads(text) for text in result.read_text().splitlines()]


def rows_of(rule):
    probe, variant, *which = rule.split(":")
    rows = [l for l in lines if (l["kind"], l.get("probe"), l.get("variant")) ==
            ("row", probe, variant)]
    if which and "=" in which[0]:
        name, value = which[0].split("=")
        return [row for row in rows if row["params"].get(name) == float(value)]
    return [row for row in rows if not which or row.get("level") == which[0]]


def factors(row):
    """1: as it was measured."""
    cpus = row.get("params", {}).get("cpus", 1)
    return 1, FACTOR, (cpus - 1) / cpus if cpus > 1 else 1 / FACTOR


def beside(row):
    """What was measured of the same: `tlb` has sums of two rows."""
    return [l for l in lines if l["kind"] == "row" and l is not row and
            (l["probe"], l.get("params")) == (row["probe"], row.get("params"))]


folder.mkdir(parents=True, exist_ok=True)
cases = []  # file, rule, what was done
missed = []
for rule in sys.argv[4:]:
    rows = rows_of(rule)
    if not rows:
        missed.append(f"{rule}: the result {result} has no such row")
    for at in sorted({0, len(rows) // 2, len(rows) - 1} if rows else ()):
        for factor in factors(rows[at]):
            path = folder / f"{rule.replace(':', '-')}-{at}-x{factor:.2f}"
            write(path, [lines[0], scaled(rows[at], factor), *beside(rows[at]), lines[-1]])
            cases.append((path, rule, factor != 1))

out = subprocess.run(["build/kam", "--check", ini, *(str(path) for path, _, _ in cases)],
                     capture_output=True, text=True, check=False).stdout
for (path, rule, edited), said in zip(cases, out.split("== ")[1:]):
    name = ":".join(rule.split(":")[:2])
    wrong = [l for l in said.split("\n") if re.match(re.escape(name) + r"[ @].*WRONG", l) and
             "expected" in l]  # else it says that other rows are missing: they are
    if bool(wrong) != edited:
        missed.append(f"{path}: expected {name} {'WRONG' if edited else 'right'}, got {wrong}")
print(f"{len(cases)} rows, {len(cases) - len(missed)} of them judged as they should be")
sys.exit("\n".join(missed) or None)
