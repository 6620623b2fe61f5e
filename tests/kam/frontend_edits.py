#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""frontend_edits.py MACHINE.ini RESULT FOLDER: each value of `frontend` in a result where all are
known is made a tenth more or less, or none, or CPUID's claim another one: the judge must notice
each by its name. As it was measured none must be called wrong."""
import json
import pathlib
import subprocess
import sys

from result_lines import write

ini, folder = sys.argv[1], pathlib.Path(sys.argv[3])
good = [json.loads(text) for text in pathlib.Path(sys.argv[2]).read_text().splitlines()]
values = [l for l in good if (l["kind"], l.get("probe")) == ("summary", "frontend") and
          l["value"] is not None]


def times(line, factor):
    return {name: line[name] * factor for name in ("value", "low", "high") if name in line}


folder.mkdir(parents=True, exist_ok=True)
missed, n = [], 0
for line in values:
    edits = {"as-measured": {}, "more": times(line, 1.1), "less": times(line, 1 / 1.1),
             "none": {"value": None, "confidence": 0, "reason": "scatters", "low": None,
                      "high": None}}
    if line.get("claimed"):
        edits["claimed"] = {"claimed": 2 * line["claimed"], "agrees": False}
    for name, members in edits.items():
        path = folder / f"{line['name']}-{name}"
        edited = {k: v for k, v in (line | members).items() if k == "value" or v is not None}
        write(path, [edited if l is line else l for l in good])
        out = subprocess.run(["build/kam", "--check", ini, str(path)],
                             capture_output=True, text=True, check=False).stdout
        said = [l for l in out.split("\n") if l.startswith(f"{line['name']} ")]
        noticed = any("WRONG" in l for l in said)
        n += 1
        if noticed != bool(members):
            missed.append(f"{path}: the judge said {said}")
print(f"{n} edits, {n - len(missed)} of them judged as they should be")
if n < 25:
    missed.append(f"expected 25 edits, came {n}")
sys.exit("\n".join(missed) or None)
