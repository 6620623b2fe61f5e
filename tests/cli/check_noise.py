#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_noise.py RESULT DIARY: the gaps of `noise` against what the disturber wrote down.

Each time the disturber ran there must be a gap that overlaps it: no fewer than 80 % and no more than
120 % as many such gaps as times. A gap begins between the time for which the disturber had set its
alarm and the time at which it ran, because waking it takes the core away, too, and it ends with the
disturber: both within 20 % of what it burnt, for at least half of the times; in the others the
machine may have had more to do. What else it did is not looked at. Times that no slice saw whole
are left out.
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
times = [(a - late * hz / 1e9, a, b) for a, b, late in times if start < a and b < over]
if len(times) < 100:
    sys.exit(f"expected the disturber during the scan, found it {len(times)} times: "
             f"its diary ({sys.argv[2]}) and the scan do not meet")

overlapping = exact = 0
for alarm, begin, end in times:
    hits = [g for g in gaps if g[0] < end and g[1] > begin]
    slack = 0.2 * (end - begin)
    overlapping += len(hits)
    exact += len(hits) == 1 and alarm - slack <= hits[0][0] <= begin + slack and \
        abs(hits[0][1] - end) <= slack
print(f"disturber: {len(times)} times; gaps that overlap: {overlapping}; "
      f"one each that begins and ends with it: {exact}")
if not 0.8 * len(times) <= overlapping <= 1.2 * len(times):
    sys.exit("expected one gap each, within 20 %")
if exact < 0.5 * len(times):
    sys.exit("expected at least half of them to begin and end with it, within 20 %")
