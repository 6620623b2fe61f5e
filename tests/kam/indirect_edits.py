#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""indirect_edits.py MACHINE.ini RESULT FOLDER: each value of `indirect` in a result where all are known
is made twice as much and more, half and less, or none: the judge must notice each by its name. As it
was measured none must be called wrong."""
import json
import pathlib
import subprocess
import sys

from result_lines import write

ini, folder = sys.argv[1], pathlib.Path(sys.argv[3])
good = [json.loads(text) for text in pathlib.Path(sys.argv[2]).read_text().splitlines()]
values = [l for l in good if (l["kind"], l.get("probe")) == ("summary", "indirect")]
folder.mkdir(parents=True, exist_ok=True)
missed = [] if len(values) == 6 else [f"expected 6 values, got {len(values)}"]
cases = []
for line in values:
    is_ = line["value"]
    for name, members in (("as-measured", {}), ("more", {"value": 2 * is_ + 2}),
                          ("less", {"value": is_ / 2 - 2}),
                          ("none", {"value": None, "confidence": 0, "reason": "scatters"})):
        path = folder / f"{line['name']}-{name}"
        edited = line | members
        if name == "none":
            edited = {k: v for k, v in edited.items() if k not in ("low", "high")}
        write(path, [edited if l is line else l for l in good])
        cases.append((path, line["name"], bool(members)))

out = subprocess.run(["build/kam", "--check", ini, *(str(path) for path, _, _ in cases)],
                     capture_output=True, text=True, check=False).stdout
for (path, name, edited), said in zip(cases, out.split("== ")[1:]):
    lines = [l for l in said.split("\n") if l.startswith(f"{name} ")]
    noticed = not lines or not lines[0].endswith(" ok")
    if noticed != edited:
        missed.append(f"{path}: the judge said {lines}")
print(f"{len(cases)} edits, {len(cases) - len(missed)} of them judged as they should be")
sys.exit("\n".join(missed) or None)
