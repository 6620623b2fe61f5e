#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_noise.py MACHINE.ini RESULT: the spikes that the machine made against the gaps
that `noise` found: as many, each as long within 1 %, each with its cause, and no other gap. If the
machine counts core cycles, as many as the core's clock makes in the time that no spike took."""
import configparser
import json
import sys

ini = configparser.ConfigParser()
ini.read(sys.argv[1])
spike_ns = ini.getint("noise", "spike_ticks") * 1e9 / ini.getint("tsc", "hz")
lines = [json.loads(line) for line in open(sys.argv[2])]
row = next(l for l in lines if l["kind"] == "row" and l.get("variant") == "gaps")
made, found = row["counts"]["smis"], row["more"]["gaps"]
events = row["more"]["events"]
lengths = sorted(length for _, length, _ in events)
summaries = {l["name"]: l["value"] for l in lines if l["kind"] == "summary"}

wrong = []
if made < 10:
    wrong.append(f"expected 10 spikes or more in the time watched, the machine made {made}")
if found != made or len(events) != made:
    wrong.append(f"expected {made} gaps, got {found}, {len(events)} of them with their lengths")
if any(abs(length / spike_ns - 1) > 0.01 for length in lengths):
    wrong.append(f"expected lengths of {spike_ns:.0f} ns within 1 %, got {lengths[0]}..{lengths[-1]}")
if any(cause != 1 for _, _, cause in events):
    wrong.append(f"expected SMI (1) as the only cause, got {sorted({c for _, _, c in events})}")
if abs(summaries["noise_gaps_per_second"] * row["more"]["observed_seconds"] / made - 1) > 0.01:
    wrong.append(f"expected {made} gaps from the summary, got {summaries['noise_gaps_per_second']}/s")
if abs(summaries["noise_stolen_ppm"] * row["more"]["observed_seconds"] * 1e3 /
       (made * spike_ns) - 1) > 0.01:
    wrong.append(f"expected {made} times {spike_ns:.0f} ns, got {summaries['noise_stolen_ppm']} ppm")
if "core_cycles" in row["counts"]:
    kept_s = row["more"]["observed_seconds"] - made * spike_ns / 1e9
    clock = row["counts"]["core_cycles"] / kept_s / ini.getint("core", "hz")
    if abs(clock - 1) > 0.002:
        wrong.append(f"expected core cycles at the core's clock within 0.2 %, got {clock:.4f} of it")
print(f"expected {made} spikes of {spike_ns:.0f} ns; got {found} of "
      f"{lengths[0] if lengths else 0}..{lengths[-1] if lengths else 0} ns")
sys.exit("\n".join(wrong) or None)
