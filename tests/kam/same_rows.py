#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_rows.py ONE OTHER: whether two results of the known-answer machine, one of them with a
display that was drawn on, are the same line by line. Drawing takes time between the rows and
nothing else, so only these members may differ. Exit code 1 with a line for each other difference.
"""
import json
import sys

MAY_DIFFER = {
    "row": {
        "at_seconds": "what was drawn before the row took time",
        "crc": "of a line with at_seconds",
    },
    "end": {
        "seconds": "of the whole run, drawing too",
        "output_seconds": "text, lines and drawing",
        "crc": "of a line with seconds",
        "crc_all": "of all lines",
    },
}


def lines(path):
    with open(path) as f:
        return [json.loads(line) for line in f]


def name(line):
    parts = [line["kind"], line.get("probe"), line.get("variant"), line.get("name")]
    params = line.get("params") or {}
    return " ".join([p for p in parts if p] + [f"{k}={v}" for k, v in params.items()])


def differences(one, other):
    may = MAY_DIFFER.get(one["kind"], {})
    for key in sorted(one.keys() | other.keys()):
        if one.get(key) != other.get(key) and key not in may:
            yield f"{name(one)}: {key} is {one.get(key)} and {other.get(key)}"


one, other = lines(sys.argv[1]), lines(sys.argv[2])
found = [d for a, b in zip(one, other) for d in differences(a, b)]
if len(one) != len(other):
    found.append(f"{len(one)} and {len(other)} lines")
if not any(line["kind"] == "row" for line in one):
    found.append(f"{sys.argv[1]} has no row")
for difference in found:
    print(difference)
sys.exit(1 if found else 0)
