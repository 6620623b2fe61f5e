#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge_edits.py MACHINE.ini RESULT FOLDER: falsifies a result in many ways, one at a time, and
checks that the judge calls each of them wrong by its name. What the judge calls wrong in the result
as it is, is put right first, so that nothing hides an edit."""
import json
import pathlib
import re
import subprocess
import sys

from result_lines import write

ini, result, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
BRACKETED = ("l1d_bytes", "l2_bytes", "l3_bytes", "window_instructions", "dtlb_4k_entries",
             "stlb_entries", "predictor_branches", "predictor_perfect", "branch_targets",
             "return_stack")
PLAIN = ("l1d_latency_ns", "l2_latency_ns", "l3_latency_ns", "memory_latency_ns",
         "l1d_latency_cycles", "l2_latency_cycles", "l3_latency_cycles", "memory_latency_cycles",
         "core_clock_hz", "core_tsc_ratio", "line_bytes", "l1d_ways", "parallel_misses",
         "stlb_hit_cycles", "walk_cycles", "mispredict_cycles",
         *(f"{op}_bytes_per_cycle_{level}" for op in ("read", "write", "copy")
           for level in ("l1", "l2", "l3", "memory")))


def judge(*paths):
    """What the judge calls wrong, for each file: lines of text."""
    out = subprocess.run(["build/kam", "--check", ini, *map(str, paths)], capture_output=True,
                         text=True, check=False)
    parts = out.stdout.split("== ") if len(paths) > 1 else ["", "x\n" + out.stdout]
    return [[l for l in part.split("\n") if "WRONG" in l] for part in parts[1:]]


def summary(lines, name):
    return next(l for l in lines if l["kind"] == "summary" and l["name"] == name)


def agreement(line):
    """`agrees` as docs/format.md defines it."""
    value, claimed = line["value"], line["claimed"]
    if claimed is None:
        return
    ends = [line[k] for k in ("low", "high", "rise_10", "rise_90") if k in line]
    line["agrees"] = (min(ends) <= claimed <= max(ends) if "low" in line
                      else abs(claimed - value) <= 0.01 * abs(value))


def put_right(lines):
    """What bisection would have found, where the program did not."""
    write(folder / "as-it-is", [dict(line) for line in lines])
    for text in judge(folder / "as-it-is")[0]:
        found = re.match(r"(\w+) +expected (\S+) ", text)
        if not found or found[1] not in BRACKETED:
            sys.exit(f"the result is wrong before any edit: {text}")
        line = summary(lines, found[1])
        line["value"] = line["low"] = float(found[2])
        line["high"] = line["low"] + 1
        agreement(line)


ABSENT = object()
edits = {}  # name of the file: (lines, the word that the judge must name, how it is written)


def edit(name, lines, word, **how):
    edits[name] = (lines, word, how)


def changed(name, key, **members):
    """The result with members of one summary line changed; ABSENT deletes."""
    i = good.index(summary(good, key))
    line = {k: v for k, v in (good[i] | members).items() if v is not ABSENT}
    if "agrees" in line and "agrees" not in members and "claimed" not in members:
        agreement(line)
    edit(f"{key}-{name}", good[:i] + [line] + good[i + 1:], key)


UNUSED = ("spread", "control", "same-set", "same-pages", "same-index", "period", "targets")
good = [json.loads(text) for text in result.read_text().splitlines()]
good = [line for line in good if line.get("variant") not in UNUSED]  # shorter, as quick to judge
folder.mkdir(parents=True, exist_ok=True)
for line in good:
    if line["kind"] == "row":  # one sample each: short
        line |= {"values": [line["median"]], "samples": 1}
put_right(good)
write(folder / "good", good)
if judge(folder / "good") != [[]]:
    sys.exit(f"the result that was put right is wrong: {judge(folder / 'good')}")

for key in BRACKETED:
    at = summary(good, key)
    for factor in (0.5, 0.93, 1.07):
        changed(f"x{factor}", key, value=at["value"] * factor, low=at["low"] * factor,
                high=at["high"] * factor)
    changed("only-value-x0.9", key, value=at["value"] * 0.9)
    changed("bracket-x0.8", key, low=at["low"] * 0.8, high=at["high"] * 0.8)
    changed("bracket-1..1e9", key, low=1, high=1e9)
    changed("no-bracket", key, low=ABSENT, high=ABSENT)
for key in PLAIN:
    for factor in (0.9, 1.12):
        changed(f"x{factor}", key, value=summary(good, key)["value"] * factor)
for key in ("l2_bytes", "memory_latency_ns", "stlb_hit_cycles"):
    changed("confidence-1.5", key, confidence=1.5)
    changed("confidence--1", key, confidence=-1)
    changed("no-confidence", key, confidence=None)
    changed("unit", key, unit="furlongs")
    changed("claim-invented", key, claimed=12345)
    changed("text", key, value="42")
for key in ("l1d_bytes", "line_bytes", "l1d_ways"):
    changed("agrees", key, agrees=not summary(good, key)["agrees"])
    changed("no-agrees", key, agrees=ABSENT)
    changed("no-claim", key, claimed=None, agrees=ABSENT)
for key in BRACKETED + PLAIN:
    edit(f"{key}-missing", [l for l in good if l.get("name") != key], key)
for key in ("l1d_bytes", "walk_cycles"):
    i = good.index(summary(good, key))
    edit(f"{key}-doubled", good[:i + 1] + good[i:], key)
    edit(f"{key}-renamed", good[:i] + [good[i] | {"name": "l9_bytes"}] + good[i + 1:], "l9_bytes")

# What the rows of this result do not show, and disturbances that the machine does not have.
for key, value in (("parallel_misses_4k", 99), ("page_size_effect", 2), ("fetch_bytes", 4096)):
    changed("invented", key, value=value, confidence=0.5, reason=ABSENT)
for key in ("memory_latency_ns", "l2_bytes"):
    changed("floor", key, floor=summary(good, key)["value"] / 2, disturbed_share=0.5)
changed("share-alone", "l2_bytes", disturbed_share=0.5)

# More than 5 % not resolved.
edit("not-resolved", [l | {"value": None, "confidence": 0, "reason": "too few points"}
     if l.get("name") in PLAIN[:8] else l for l in good], "l1d_latency_ns")

# The file.
bad = [l | {"value": l["value"] * 3} if l.get("name") == "l1d_bytes" else l for l in good]
edit("bad-run-then-good-run", bad + good, "run")
edit("bad-room-then-good-room", [l | {"room": "firmware"} for l in bad] + good, "l1d_bytes@firmware")
edit("seq", [l | {"seq": i + (i > 20)} for i, l in enumerate(good)], "seq", number=False)
edit("end-counts", good[:-1] + [good[-1] | {"rows": 1}], "end", count=False)
edit("other-machine", [good[0] | {"known_answer": {"machine": "another", "layer": "a"}}] + good[1:],
     "machine")
edit("other-room", [l | {"room": "bare"} for l in good], "room")
edit("line-lost", good[:9] + good[10:], "crc_all", count=False)

# Rows.
rows = [l for l in good if l["kind"] == "row"]


def row(name, choose, word, **members):
    i = next(i for i, l in enumerate(good) if l["kind"] == "row" and choose(l))
    edit(name, good[:i] + [good[i] | members] + good[i + 1:], word)


def is_row(probe, variant, level=None):
    return lambda l: (l.get("probe"), l.get("variant"), l.get("level")) == (probe, variant, level)


i = next(i for i, l in enumerate(good) if is_row("latency", "pointer-padded", "l2")(l))
edit("proof-failed", good[:i] + [{"kind": "skip"} | {k: v for k, v in good[i].items() if k in
     ("room", "probe", "variant", "level", "params")} |
     {"reason": "proof failed: the chase ended elsewhere"}] + good[i + 1:], "pointer-padded")
row("row-of-another-machine", is_row("latency", "pointer-padded"), "latency:pointer-padded",
    core_hz=rows[0]["core_hz"] * 1.3)
row("row-median", is_row("tlb", "cost"), "tlb:cost", median=77)
row("row-origin", is_row("tlb", "cost"), "tlb:cost", origin="claimed")
row("row-samples", is_row("tlb", "cost"), "tlb:cost", samples=99)
row("latency-l2", is_row("latency", "pointer-padded", "l2"), "latency:pointer-padded l2", cycles=99)
row("chains", lambda l: is_row("mlp", "chains", "memory")(l) and l["params"]["lanes"] == 4,
    "mlp:chains", cycles=9)
row("divisions", is_row("clock", "div3-lfence"), "three_divisions", cycles=9)
row("narrow-reads", lambda l: is_row("bandwidth", "read", "l1")(l) and
    l["params"]["width_bits"] == 32, "bandwidth:read", more={"bytes_per_cycle": 3})
edit("row-doubled", good[:i + 1] + good[i:], "latency:pointer-padded")
edit("node-bytes", [good[0] | {"node_bytes": 256}] + good[1:], "node_bytes")

edit("crc-of-zeros", good, "crc")
for name, (lines, word, how) in edits.items():
    write(folder / name, lines, **how)
text = (folder / "good").read_text()
(folder / "crc-of-zeros").write_text(re.sub(r'"crc":"\w{8}"', '"crc":"00000000"', text))

missed = []
for (name, (_, word, _)), wrong in zip(edits.items(), judge(*(folder / name for name in edits))):
    if not any(re.match(re.escape(word) + r"[ @]", line) for line in wrong):
        missed.append(f"{folder / name}: '{word}' is not called wrong; called wrong: {wrong[:2]}")
print(f"{len(edits)} edits, {len(edits) - len(missed)} of them noticed and named")
sys.exit("\n".join(missed) or None)
