#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""backend_edits.py MACHINE.ini RESULT FOLDER: each value of `backend` in a result where all are known
is made another one, or none, or so many or more of which there are fewer, or clearly more: the judge
must notice each by its name. As it was measured none must be called wrong."""
import json
import pathlib
import subprocess
import sys

from result_lines import write

ini, folder = sys.argv[1], pathlib.Path(sys.argv[3])
good = [json.loads(text) for text in pathlib.Path(sys.argv[2]).read_text().splitlines()]
values = [l for l in good if (l["kind"], l.get("probe")) == ("summary", "backend") and
          l["value"] is not None]


def at(value):
    return {"value": value, "low": value, "high": value + 1}


def at_least(value):
    return {"value": value, "low": value, "high": None}


folder.mkdir(parents=True, exist_ok=True)
missed, n = [], 0
for line in values:
    is_ = line["value"]
    for name, members in (("as-measured", {}), ("more", at(round(1.03 * is_) + 1)),
                          ("less", at(round(is_ / 1.03) - 1)),
                          ("fewer-than-said", at_least(round(1.05 * is_) + 1)),
                          ("many-more", at_least(round(is_ / 2))),
                          ("only-so-many-or-more", at_least(is_)),
                          ("none", {"value": None, "confidence": 0, "reason": "scatters",
                                    "low": None, "high": None})):
        path = folder / f"{line['name']}-{name}"
        edited = {k: v for k, v in (line | members).items() if k == "value" or k == "high" or
                  v is not None}
        if name == "none":
            edited.pop("high", None)
        write(path, [edited if l is line else l for l in good])
        out = subprocess.run(["build/kam", "--check", ini, str(path)],
                             capture_output=True, text=True, check=False).stdout
        said = [l for l in out.split("\n") if l.startswith(f"{line['name']} ")]
        noticed = not said or not said[0].endswith(" ok")
        n += 1
        if noticed != bool(members):
            missed.append(f"{path}: the judge said {said}")
print(f"{n} edits, {n - len(missed)} of them judged as they should be")
sys.exit("\n".join(missed) or None)
