#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_screen.py RESULT SCREEN: whether the text of a run says what its result file says.

Every resolved value of the result must stand, with the same number, under "What the rows show"; and
every number in the first column of the card must be one of the values that its line is about. Exit
code 1 with a line for each contradiction.
"""
import json
import re
import sys

# The lines of the card and the values that they show, in the order shown. After a value, the ends of
# its bracket, and of a soft edge's rise.
RANGE = ["low", "high", "rise_10", "rise_90"]
COUNT = ["low", "high-1"]
CARD = {
    "L1 data cache": ["l1d_bytes", *RANGE, "l1d_latency_cycles", "l1d_latency_ns"],
    "L2 cache": ["l2_bytes", *RANGE, "l2_latency_cycles", "l2_latency_ns"],
    "L3 cache": ["l3_bytes", *RANGE, "l3_latency_cycles", "l3_latency_ns"],
    "L4 cache": ["l4_bytes", *RANGE, "l4_latency_cycles", "l4_latency_ns"],
    "memory": ["memory_latency_cycles", "memory_latency_ns"],
    "with page walks": ["memory_walk_latency_cycles", "memory_walk_latency_ns"],
    "cache line": ["line_bytes"],
    "L1 ways": ["l1d_ways", *COUNT],
    "TLB, 4 KiB pages": ["dtlb_4k_entries", *COUNT, "stlb_entries", *COUNT, "stlb_hit_cycles", "walk_cycles"],
    "TLB, 2 MiB pages": ["dtlb_2m_entries", *COUNT, "stlb_2m_entries", *COUNT, "stlb_2m_hit_cycles", "walk_2m_cycles"],
    "misses at once": ["parallel_misses", "parallel_misses_walk", "parallel_misses_4k"],
    "4 KiB pages cost": ["page_size_effect"],
    "window": ["window_instructions", *COUNT],
    "registers": ["integers_in_flight", "vectors_in_flight", "wide_vectors_in_flight", "masks_in_flight"],
    "in flight": ["loads_in_flight", "stores_in_flight", "branches_in_flight"],
    "waiting": ["adds_waiting", "vectors_waiting", "loads_waiting", "stores_waiting"],
    "misprediction": ["mispredict_cycles"],
    "random branches": ["predictor_branches", *COUNT, "predictor_perfect", "learning_passes"],
    "branch targets": ["branch_targets", *COUNT],
    "return stack": ["return_stack", *COUNT],
    "issued a cycle": ["issue_width", "adds_per_cycle", "multiplies_per_cycle", "loads_per_cycle", "stores_per_cycle"],
    "TSCs differ by": ["tsc_skew_ns", "low", "high", "tsc_drift_ppm", "tsc_adjust_ticks"],
    "core clock": ["core_clock_hz", "low", "high", "core_tsc_ratio"],
    "the room was": ["noise_stolen_ppm", "noise_gaps_per_second", "noise_longest_ns"],
} | {f"{op:5} B/cycle": [f"{op}_roof_{at}" for at in ("l1", "l2", "l3", "l4", "memory")]
     for op in ("read", "write", "copy")}
UNITS = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "GHz": 1e9, "us": 1e3}
NUMBER = r"(?<![\w.])\+?(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(GHz|[BKMG](?![a-zA-Z])| GHz| us)?"


def summaries(path):
    lines = [json.loads(line) for line in open(path)]
    return {line["name"]: line for line in lines if line["kind"] == "summary"}


def numbers(text):
    """(value, half a unit of its last place) of each number in a text."""
    for digits, unit in re.findall(NUMBER, text):
        scale = UNITS.get(unit.strip(), 1)
        places = len(digits.split("e")[0].partition(".")[2])
        yield float(digits) * scale, (0.5 * 10 ** -places * 1.001 + float(digits) * 1e-5) * scale


def candidates(values, names):
    """Numbers that a line of the card may show."""
    last = None
    for name in names:
        if name in ("low", "rise_10", "rise_90"):
            if last and name in last:
                yield last[name]
        elif name.startswith("high"):
            if last and last.get("high") is not None:
                yield last["high"] - (name == "high-1")
        elif values.get(name, {}).get("value") is not None:
            last = values[name]
            yield last["value"]
            if "floor" in last:
                yield last["floor"]


def wrong_values(values, screen):
    said = screen.partition("What the rows show")[2].partition("The machine as measured")[0]
    shown = dict(re.findall(r"^  (\w+) +(\S.*)$", said, re.M))
    for name, line in values.items():
        if line["value"] is None:
            continue
        first = next(numbers(shown.get(name, "")), None)
        if not first or abs(first[0] - line["value"]) > first[1]:
            yield f"{name}: the result says {line['value']}, the screen '{shown.get(name, 'nothing')}'"


def wrong_card(values, screen):
    card = screen.rpartition("The machine as measured")[2]
    for label, names in CARD.items():
        line = re.search(rf"^{re.escape(label)} {{1,}}(.{{0,35}}\S*)", card, re.M)
        expected = list(candidates(values, names))
        if not line:
            if expected and label != "with page walks":  # only where they cost more
                yield f"{label}: not on the card, though the result has {names[0]}"
            continue
        if "?" in line[1]:
            continue
        text = re.sub(r"with 4 KiB pages|times the.*|4 KiB|(to|at) \d+(\.\d+)?[KMG]", "", line[1])
        for value, half in numbers(text):
            if not any(abs(value - want) <= half for want in expected):
                yield f"{label}: the card says {value:g}, the result {expected}"


values, screen = summaries(sys.argv[1]), open(sys.argv[2], errors="replace").read()
wrong = [*wrong_values(values, screen), *wrong_card(values, screen)]
if not values or "The machine as measured" not in screen:
    wrong.append("no summary lines, or no card")
print("\n".join(wrong) or f"{len(values)} values: the screen says the same")
sys.exit(bool(wrong))
