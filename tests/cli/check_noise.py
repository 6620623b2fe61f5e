#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_noise.py RESULT DIARY: the gaps of `noise` against what the disturber wrote down.

Each time the disturber ran there must be exactly one gap that overlaps it, of its length within
20 %, for at least 80 % of the times; and no fewer than 80 % and no more than 120 % as many such gaps
as times. What else the machine did is not looked at. Times that no slice saw whole are left out.
"""
import json
import sys

lines = [json.loads(line) for line in open(sys.argv[1])]
hz = lines[0]["tsc_hz"]
scan = next(l["more"] for l in lines if l["kind"] == "row" and l.get("variant") == "gaps")
start = scan["started_ticks"]
gaps = sorted((start + (end - length) * hz / 1e9, start + end * hz / 1e9)
              for end, length, _ in scan["events"])
over = start + scan["observed_seconds"] * hz
times = [tuple(map(int, line.split())) for line in open(sys.argv[2])]
times = [(a, b) for a, b in times if start < a and b < over]
if len(times) < 100:
    sys.exit(f"expected the disturber during the scan, found it {len(times)} times: "
             f"its diary ({sys.argv[2]}) and the scan do not meet")

overlapping = exact = 0
for begin, end in times:
    hits = [g for g in gaps if g[0] < end and g[1] > begin]
    overlapping += len(hits)
    exact += len(hits) == 1 and 0.8 <= (hits[0][1] - hits[0][0]) / (end - begin) <= 1.2
print(f"disturber: {len(times)} times; gaps that overlap: {overlapping}; "
      f"one each of the right length: {exact}")
if not 0.8 * len(times) <= overlapping <= 1.2 * len(times):
    sys.exit("expected one gap each, within 20 %")
if exact < 0.8 * len(times):
    sys.exit("expected the length of at least 80 % within 20 %")
