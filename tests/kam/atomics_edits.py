#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""atomics_edits.py MACHINE.ini RESULT FOLDER: each value of `atomics` is made another one, or none;
of the rows of several CPUs the shares of the fastest and the slowest are moved beyond what one can
have, or to where they are not on both sides of the row; the additions that the store buffer hides
are made fewer or more than there can be. The judge must notice each by its name. As it was measured
nothing may be called wrong."""
import json
import pathlib
import subprocess
import sys

from result_lines import scaled, write

ini, result, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
lines = [json.loads(text) for text in result.read_text().splitlines()]
folder.mkdir(parents=True, exist_ok=True)
cases = [(folder / "as-measured", lines, None)]


def case(name, at, line):
    path = folder / f"{len(cases)}"
    cases.append((path, lines[:at] + [line] + lines[at + 1:], name))


for at, line in enumerate(lines):
    if line.get("probe") != "atomics":
        continue
    if line["kind"] == "summary":
        for factor in (1.04, 1 / 1.04):
            case(line["name"], at, line | {"value": line["value"] * factor})
        case(line["name"], at, line | {"value": None, "confidence": 0, "reason": "no"})
        continue
    more = line.get("more", {})
    name = f"atomics:{line['variant']}"
    if "cpu_ns_least" in more:
        for edited in ({"cpu_ns_least": line["median"] / 100}, {"cpu_ns_most": line["median"] * 100},
                       {"cpu_ns_least": line["median"] * 1.1}, {"cpu_ns_most": line["median"] / 1.1}):
            case(name, at, line | {"more": more | edited})
    if line["variant"] == "false-sharing-add":
        for factor in (1 / 100, 100):
            case(name, at, scaled(line, factor))

for path, edited, _ in cases:
    write(path, edited)
out = subprocess.run(["build/kam", "--check", ini, *(str(path) for path, _, _ in cases)],
                     capture_output=True, text=True, check=False).stdout
missed = []
for (path, _, name), said in zip(cases, out.split("== ")[1:]):
    wrong = [l for l in said.split("\n") if "WRONG" in l or
             ("not resolved" in l and " judged, " not in l)]
    if name and not any(l.startswith(name) for l in wrong) or not name and wrong:
        missed.append(f"{path}: expected {name or 'nothing'} WRONG, got {wrong}")
print(f"{len(cases)} results, {len(cases) - len(missed)} of them judged as they should be")
sys.exit("\n".join(missed) or None)
