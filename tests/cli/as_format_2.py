#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""as_format_2.py IN OUT: a file of anechoic/1 as a later program would have written it.

Parameters stand in `params`, `place` is `level`, `places` is `topology` (docs/format.md). Every line but
the first has members that no program knows, which readers must ignore; a member of the run line is a
circumstance, and compare shows each one that differs.
"""
import json
import sys
import zlib

# Numbers of a row of anechoic/1 that are not parameters.
NOT_PARAMETERS = ("seq samples min median p90 p99 max mean mad cycles core_hz overhead_ticks disturbed "
                  "outliers ops at_seconds").split()
RENAMED = {"place": "level", "places": "topology"}
UNKNOWN = {"unknown_number": 41.5, "unknown_text": "x", "unknown_object": {"bytes": 7}}


def converted(old):
    line, params = {}, {}
    for name, value in old.items():
        if old["kind"] in ("row", "skip") and type(value) in (int, float) and name not in NOT_PARAMETERS:
            params[name] = value
        elif name not in ("crc", "crc_all"):
            line[RENAMED.get(name, name)] = value
    if params:
        line["params"] = params
    if old["kind"] == "run":
        line["schema"] = "anechoic/2"
    return line if old["kind"] == "run" else {**line, **UNKNOWN}


with open(sys.argv[1], encoding="ascii") as old, open(sys.argv[2], "w", encoding="ascii") as new:
    for text in old:
        line = converted(json.loads(text))
        if line["kind"] == "run":
            run = 0
        elif line["kind"] == "end":
            line["crc_all"] = f"{run:08x}"
        body = json.dumps(line, separators=(",", ":"))[:-1]
        whole = '%s,"crc":"%08x"}\n' % (body, zlib.crc32(body.encode()))
        run = zlib.crc32(whole.encode(), run)
        new.write(whole)
