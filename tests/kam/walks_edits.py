#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""walks_edits.py MACHINE.ini RESULT FILE: each value of `walks` in a result made 3 % more and less, or
none: the judge must not take it for right. As it was measured each must be."""
import json
import pathlib
import subprocess
import sys

from result_lines import write

ini, result, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
good = [json.loads(text) for text in open(result)]
values = [l for l in good if (l["kind"], l.get("probe")) == ("summary", "walks") and
          l["value"] is not None]
missed, n = [], 0
for line in values:
    for factor in (1, 1.03, 1 / 1.03, None):
        edited = dict(line)
        for key in {"value", "low", "high"} & line.keys():
            edited[key] = None if factor is None else line[key] * factor
        if factor is None:
            edited = {k: v for k, v in edited.items() if k not in ("low", "high")} | {
                "confidence": 0, "reason": "scatters"}
        write(path, [edited if l is line else l for l in good])
        out = subprocess.run(["build/kam", "--check", ini, str(path)], capture_output=True, text=True,
                             check=False).stdout
        said = [l for l in out.splitlines() if l.split("@")[0].split(" ")[0] == line["name"]]
        n += 1
        if (len(said) == 1 and said[0].endswith(" ok")) != (factor == 1):
            missed.append(f"{line['name']} times {factor}: the judge said {said}")
if not values:
    missed.append(f"{result} has no value of walks")
print(f"{n} edits, {n - len(missed)} of them judged as they should be")
sys.exit("\n".join(missed) or None)
