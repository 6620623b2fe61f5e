#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""value_edits.py MACHINE.ini RESULT FOLDER PROBE VALUES FACTOR [MORE]: each value of a probe in a result,
of which there are so many, is made FACTOR times as much and MORE, as much less, none, and left out; what
CPUID claims of it is doubled. What else a probe says of its rows and values is changed as well: below.
The judge must call each wrong by its name, and nothing as it was."""
import pathlib
import sys

from result_lines import judge, read, scaled

ini, result, folder, probe = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
expected, factor, more = int(sys.argv[5]), float(sys.argv[6]), float((sys.argv[7:] or [0])[0])
good = read(result)
cases = [(None, good)]
NONE = {"value": None, "confidence": 0, "reason": "scatters"}


def case(name, line, edited):
    cases.append((name, [l for l in (edited if l is line else l for l in good) if l]))


def of_atomics(row):
    """The shares of the fastest and the slowest CPU beyond what one can have, or not on both sides
    of the row; additions that the store buffer hides, fewer or more than there can be."""
    name, is_ = f"atomics:{row['variant']}", row["median"]
    if "cpu_ns_least" in row.get("more", {}):
        for share in ({"cpu_ns_least": is_ / 100}, {"cpu_ns_most": is_ * 100},
                      {"cpu_ns_least": is_ * 1.1}, {"cpu_ns_most": is_ / 1.1}):
            case(name, row, row | {"more": row["more"] | share})
    if row["variant"] == "false-sharing-add":
        for times in (1 / 100, 100):
            case(name, row, scaled(row, times))


def of_skew(row):
    """Bounds that no longer have the truth, as wide, above and below; so wide that they say nothing."""
    unit = {"offset": "ns", "drift": "ppm"}.get(row["variant"])
    if unit:
        name, told, low, high = f"skew:{row['variant']} bounds", row["more"], f"low_{unit}", f"high_{unit}"
        width = told[high] - told[low]
        for by in (width, -width):
            case(name, row, row | {"more": told | {low: told[low] + by, high: told[high] + by}})
        if unit == "ns":
            case(name, row, row | {"more": told | {low: told[low] - 2 * width}})


def of_smm(row):
    """SMIs that were not counted; one length of another SMI."""
    if row["variant"] == "watch":
        for times in (1.3, 1 / 1.3):
            smis = row["more"].get("smis", 0) * times
            case("smm:count", row, row | {"more": row["more"] | {"smis": smis}})
    if row["variant"] == "smi-length":
        lengths = list(row["values"])
        lengths[len(lengths) // 2] *= 1.1
        case("smm:lengths", row, row | {"values": lengths})


def of_backend(line):
    """So many or more: of fewer, of clearly more, of just as many."""
    for least in (round(1.05 * line["value"]) + 1, round(line["value"] / 2), line["value"]):
        case(line["name"], line, line | {"value": least, "low": least, "high": None})


def moved(line, by):
    return line | {k: by(line[k]) for k in ("value", "low", "high") if line.get(k) is not None}


def value(line):
    name, width = line["name"], line.get("high", 0) and line["high"] - line["low"]
    if probe == "skew":  # whose truth may be 0
        for by in (width, -width) if width else (1,):
            case(name, line, moved(line, lambda x: x + by))
        if width:
            case(name, line, line | {"value": line["low" if line["value"] > line["low"] else "high"]})
    else:
        case(name, line, moved(line, lambda x: factor * x + more))
        case(name, line, moved(line, lambda x: x / factor - more))
        case(name, line, None)
    if probe != "smm":  # which may have none of a kind
        case(name, line, {k: v for k, v in line.items() if k not in ("low", "high")} | NONE)
    if line.get("claimed"):
        case(name, line, line | {"claimed": 2 * line["claimed"], "agrees": False})
    if probe == "backend":
        of_backend(line)


n = 0
of_row = {"atomics": of_atomics, "skew": of_skew, "smm": of_smm}.get(probe)
for line in good:
    if line.get("probe") != probe:
        continue
    if line["kind"] == "row" and of_row:
        of_row(line)
    if line["kind"] != "summary":
        continue
    if line["value"] or line["value"] == 0 and probe != "smm":
        n += 1
        value(line)
    elif probe == "smm":  # made up
        case(line["name"], line, line | {"value": 4711.0, "confidence": 0.5})
if n != expected:
    sys.exit(f"expected {expected} values of {probe}, came {n}")
judge(ini, folder, cases)
