#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_screen.py RESULT SCREEN: whether the text of a run says what its result file says.

Every resolved value of the result must stand, with the same number, under "What the rows show"; and
every number of the card must be one of the values that its place is about. Exit code 1 with a line
for each contradiction.
"""
import json
import re
import sys

# The rows of the card's table: what stands in the columns size, ns, cycles and GB/s. After a size, the
# ends of its bracket, and of a soft edge's rise.
RANGE = ["low", "high", "rise_10", "rise_90"]
LEVELS = {
    label: ([f"{size}_bytes", *RANGE] if size else [], [f"{name}_latency_ns"], [f"{name}_latency_cycles"], rate)
    for label, size, name, rate in (
        ("L1", "l1d", "l1d", "l1"), ("L2", "l2", "l2", "l2"), ("L3", "l3", "l3", "l3"),
        ("L4", "l4", "l4", "l4"), ("memory", "", "memory", "memory"), (" walks", "", "memory_walk", ""))
}
# The other lines: a text with one number, which is one of these.
COUNT = ["low", "high-1"]
PARTS = {
    r"room: others had the core (?:< )?(\S+) %": ["noise_stolen_ppm"],
    r"of the time, up to (\S+ [num]s) at once": ["noise_longest_ns"],
    r"(\S+) misses at once": ["parallel_misses"],
    r"all CPUs read (\S+)": ["memory_read_gbs"],
    r"core +(\S+?)(?:\.\.\S+)? GHz": ["core_clock_hz", "low"],
    r"core +\S+\.\.(\S+) GHz": ["core_clock_hz", "high"],
    r"window (\d+)": ["window_instructions", *COUNT],
    r"([\d.]+) ops a cycle": ["issue_width"],
    r"misprediction ([\d.]+) cycles": ["mispredict_cycles", *COUNT],
    r"targets (\d+)": ["branch_targets", *COUNT],
    r"a line in (\S+ [num]s)": ["handover_ns"],
    r"between the farthest in (\S+ [num]s)": ["handover_most_ns"],
}
UNITS = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "us": 1e3, "ms": 1e6}
NUMBER = r"(?<![\w.])\+?(\d+(?:\.\d+)?(?:e[+-]?\d+)?)([BKMG](?![a-zA-Z])| us| ms)?"


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
    """Numbers that a place of the card may show."""
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


def wrong_numbers(text, expected, what, scale=1):
    for value, half in numbers(text):
        if not any(abs(value * scale - want) <= half * scale for want in expected):
            yield f"{what}: the card says {value:g}, the result {expected}"


def rates(values, level):
    """GB/s that one CPU reads from a level: bytes a cycle times the clock."""
    of = [f"read_roof_{level}", f"read_bytes_per_cycle_{level}"]
    clocks = list(candidates(values, ["core_clock_hz"]))
    return [rate * clock / 1e9 for name in of for rate in candidates(values, [name]) for clock in clocks]


def wrong_levels(values, card):
    for label, (size, ns, cycles, level) in LEVELS.items():
        row = re.search(rf"^{label:6} (.{{12,}}?) *([\d.?]+) +([\d.?]+) +([\d.?]*) +\d+ %", card, re.M)
        expected = [list(candidates(values, names)) for names in (size, ns, cycles)]
        if not row:
            if any(expected) and label != " walks":  # only where they cost more
                yield f"{label}: not on the card, though the result has it"
            continue
        for column, want, text in zip(("size", "ns", "cycles"), expected, row.groups()):
            if size or column != "size":
                yield from wrong_numbers(text, want, f"{label} {column}")
        yield from wrong_numbers(row[4], rates(values, level), f"{label} GB/s")


def wrong_parts(values, card):
    text = re.sub(r",\n +", ", ", card)
    for pattern, names in PARTS.items():
        found = re.search(pattern, text)
        scale = 1e9 if "core_clock_hz" in names else 1e4 if "noise_stolen_ppm" in names else 1
        if found and "<" not in found[0]:
            yield from wrong_numbers(found[1], list(candidates(values, names)), names[0], scale)
        elif not found and names[0] != "handover_most_ns" and list(candidates(values, names)):
            if ".." not in pattern.replace(r"\.\.", "..") or values[names[0]].get("low") is not None:
                yield f"{names[0]}: not on the card, though the result has it"


values, screen = summaries(sys.argv[1]), open(sys.argv[2], errors="replace").read()
card = screen.rpartition("The machine as measured")[2]
wrong = [*wrong_values(values, screen), *wrong_levels(values, card), *wrong_parts(values, card)]
if not values or not card:
    wrong.append("no summary lines, or no card")
print("\n".join(wrong) or f"{len(values)} values: the screen says the same")
sys.exit(bool(wrong))
