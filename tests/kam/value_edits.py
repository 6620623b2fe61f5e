#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""value_edits.py MACHINE.ini RESULT FOLDER PROBE VALUES FACTOR [MORE]: each value of a probe in a result,
of which there are so many, is made FACTOR times as much and MORE, as much less, none, and left out;
what CPUID claims of it is doubled. The judge must call each wrong by its name, and none as it was."""
import json
import pathlib
import subprocess
import sys

from result_lines import write

ini, result, folder, probe = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
expected, factor, more = int(sys.argv[5]), float(sys.argv[6]), float((sys.argv[7:] or [0])[0])
good = [json.loads(text) for text in result.read_text().splitlines()]
values = [line for line in good if (line["kind"], line.get("probe")) == ("summary", probe) and
          line["value"] is not None]
missed = [] if len(values) == expected else [f"expected {expected} values of {probe}, came {len(values)}"]


def moved(line, by):
    return line | {key: by(line[key]) for key in ("value", "low", "high") if line.get(key) is not None}


folder.mkdir(parents=True, exist_ok=True)
cases = [(folder / "as-measured", good, None)]
for line in values:
    none = {k: v for k, v in line.items() if k not in ("low", "high")} | {
        "value": None, "confidence": 0, "reason": "scatters"}
    edits = {"more": moved(line, lambda x: factor * x + more), "none": none, "left-out": None,
             "less": moved(line, lambda x: x / factor - more)}
    if line.get("claimed"):
        edits["claimed"] = line | {"claimed": 2 * line["claimed"], "agrees": False}
    for name, edited in edits.items():
        lines = [edited if other is line else other for other in good]
        cases.append((folder / f"{line['name']}-{name}", [l for l in lines if l], line["name"]))

for path, lines, _ in cases:
    write(path, lines)
out = subprocess.run(["build/kam", "--check", ini, *(str(path) for path, _, _ in cases)],
                     capture_output=True, text=True, check=False).stdout
for (path, _, name), said in zip(cases, out.split("== ")[1:]):
    wrong = [l for l in said.split("\n") if "WRONG" in l]
    if name and not any(l.split("@")[0].split(" ")[0] == name for l in wrong) or not name and wrong:
        missed.append(f"{path}: expected {name or 'nothing'} WRONG, came {wrong}")
print(f"{len(cases)} results, {len(cases) - len(missed)} of them judged as they should be")
sys.exit("\n".join(missed) or None)
