#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""smm_edits.py MACHINE.ini RESULT FILE: each value of `smm` made 1.3 times as much and as little, or
left out; a value where there is none; SMIs that were not counted, and one length of another SMI: the
judge must call each of them wrong by its name."""
import copy
import json
import pathlib
import subprocess
import sys

from result_lines import write

ini, result, path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
good = [json.loads(text) for text in open(result)]
missed, done = [], 0


def summaries(lines):
    return [l for l in lines if l["kind"] == "summary" and l["probe"] == "smm"]


def row(lines, variant):
    return next(l for l in lines if l["kind"] == "row" and l["variant"] == variant)


def judge(what, lines, name):
    global done
    write(path, lines)
    said = subprocess.run(["build/kam", "--check", ini, path], capture_output=True, text=True,
                          check=False).stdout
    done += 1
    if not any(l.split()[0].split("@")[0] == name and "WRONG" in l for l in said.splitlines() if l):
        missed.append(f"{what}: expected '{name} ... WRONG', came:\n{said}")


for at, line in enumerate(summaries(good)):
    for factor in (1.3, 1 / 1.3, 0) if line["value"] else (None,):
        lines = copy.deepcopy(good)
        edited = summaries(lines)[at]
        if factor is None:
            edited["value"], edited["confidence"] = 4711.0, 0.5
        else:
            for key in {"value", "low", "high"} & edited.keys():
                edited[key] *= factor
        if factor == 0:
            lines.remove(edited)
        judge(f"{line['name']} times {factor}", lines, line["name"])

for factor in (1.3, 1 / 1.3):
    lines = copy.deepcopy(good)
    row(lines, "watch")["more"]["smis"] *= factor
    judge(f"SMIs counted times {factor}", lines, "smm:count")
lines = copy.deepcopy(good)
lengths = row(lines, "smi-length")["values"]
lengths[len(lengths) // 2] *= 1.1
judge("one length", lines, "smm:lengths")

print(f"{done} edits, {done - len(missed)} of them noticed")
sys.exit("\n".join(missed) or None)
