#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""floor_edits.py QUIET.ini DISTURBED.ini RESULT FOLDER: two machines that differ in disturbances
only. On the disturbed one a slow value beside a right floor must be called right, and a floor that
is wrong in any way must be called wrong; on the quiet one every floor."""
import json
import pathlib
import subprocess
import sys

from result_lines import write

quiet, disturbed, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[4])
good = [json.loads(text) for text in pathlib.Path(sys.argv[3]).read_text().splitlines()]
clock = next(l for l in good if l.get("name") == "core_clock_hz")
truth = clock["value"]
RIGHT = {"value": 0.8 * truth, "floor": truth, "disturbed_share": 0}
CASES = (  # name, machine, members, whether the judge must call it wrong
    ("as-measured", disturbed, {}, False),
    ("slow", disturbed, {"value": 0.8 * truth}, True),
    ("slow-with-floor", disturbed, RIGHT, False),
    ("not-resolved-with-floor", disturbed,
     RIGHT | {"value": None, "confidence": 0, "reason": "scatters"}, False),
    ("quiet-machine", quiet, RIGHT, True),
    ("floor-too-low", disturbed, RIGHT | {"floor": 0.99 * truth}, True),
    ("floor-too-high", disturbed, RIGHT | {"floor": 1.01 * truth}, True),
    ("floor-is-the-value", disturbed, {"floor": truth, "disturbed_share": 0}, True),
    ("share-of-nothing", disturbed, RIGHT | {"disturbed_share": 0.4}, True),
    ("share-without-floor", disturbed, {"disturbed_share": 0}, True),
    ("half-a-bracket", disturbed, RIGHT | {"floor_low": truth}, True),
    ("outside-its-bracket", disturbed,
     RIGHT | {"floor_low": 1.1 * truth, "floor_high": 1.2 * truth}, True),
)

folder.mkdir(parents=True, exist_ok=True)
missed = []
for name, machine, members, wrong in CASES:
    write(folder / name, [l | members if l is clock else l for l in good])
    out = subprocess.run(["build/kam", "--check", machine, str(folder / name)],
                         capture_output=True, text=True, check=False).stdout
    said = [l for l in out.split("\n") if l.startswith("core_clock_hz ") and "WRONG" in l]
    if bool(said) != wrong:
        missed.append(f"{folder / name}: expected {'WRONG' if wrong else 'right'}, got {said}")
print(f"{len(CASES)} edits, {len(CASES) - len(missed)} of them judged as they should be")
sys.exit("\n".join(missed) or None)
