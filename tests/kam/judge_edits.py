#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge_edits.py MACHINE.ini RESULT FOLDER [RESULT-OF-ANOTHER]: falsifies a result in many ways,
one at a time, and checks that the judge calls each of them wrong by its name. What the judge calls
wrong in the result as it is, is put right first, so that nothing hides an edit."""
import json
import pathlib
import re
import subprocess
import sys

from result_lines import scaled, single, write

ini, result, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
others = [pathlib.Path(name) for name in sys.argv[4:]]
NOT_JUDGED = re.compile("noise_")
BESIDE = ("parallel_misses", "parallel_misses_walk", "learning_passes")  # whose bracket is not bisection's


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
        if not found or "low" not in summary(lines, found[1]):
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


UNUSED = ("spread", "control", "same-pages", "same-index")
good = [json.loads(text) for text in result.read_text().splitlines()]
good = [line for line in good if line.get("variant") not in UNUSED]  # shorter, as quick to judge
folder.mkdir(parents=True, exist_ok=True)
good = [single(line) if line["kind"] == "row" else line for line in good]
put_right(good)
write(folder / "good", good)
if judge(folder / "good") != [[]]:
    sys.exit(f"the result that was put right is wrong: {judge(folder / 'good')}")

measured = [l["name"] for l in good
            if l["kind"] == "summary" and l["value"] is not None and not NOT_JUDGED.match(l["name"])]
BRACKETED = [key for key in measured if "low" in summary(good, key) and key not in BESIDE]
SOFT = [key for key in BRACKETED if "rise_50" in summary(good, key)]
PLAIN = [key for key in measured if key not in BRACKETED]
ENDS = ("value", "low", "high", "rise_10", "rise_50", "rise_90")
RESTRICTED = "; probes:" in pathlib.Path(ini).read_text()  # such a machine has not every value and row


def those_of(*keys):
    """The values of this result. Only a machine that is measured by some probes may lack one."""
    if not RESTRICTED and not set(keys) <= set(measured):
        sys.exit(f"{result} lacks a value that is to be edited: {sorted(set(keys) - set(measured))}")
    return [key for key in keys if key in measured]


for key in BRACKETED:
    at = summary(good, key)
    for factor in (0.5, 0.8, 1.25) if key in SOFT else (0.5, 0.93, 1.07):
        changed(f"x{factor}", key, **{k: at[k] * factor for k in ENDS if k in at})
    changed("only-value-x0.9", key, value=at["value"] * 0.9)
    changed("bracket-x0.8", key, low=at["low"] * 0.8, high=at["high"] * 0.8)
    changed("bracket-1..1e9", key, low=1, high=1e9)
    changed("no-bracket", key, low=ABSENT, high=ABSENT)
for key in those_of("l1d_bytes", "l1d_ways", "dtlb_4k_entries", "stlb_entries", "return_stack"):
    if key not in SOFT:  # the upper end of a bracket is open
        changed("bracket-ends-at-it", key, low=summary(good, key)["value"] - 1,
                high=summary(good, key)["value"])
for key in SOFT:
    at = summary(good, key)
    for factor in (0.5, 1.6):
        changed(f"rise-x{factor}", key, **{k: at[k] * factor for k in ENDS if k.startswith("rise")})
    changed("rise-turned", key, rise_10=at["rise_90"], rise_90=at["rise_10"])
    changed("middle-outside", key, rise_50=at["rise_90"] * 1.01)
for key in PLAIN:
    for factor in (0.9, 1.12):
        changed(f"x{factor}", key, value=summary(good, key)["value"] * factor)
for key in those_of("l2_bytes", "memory_latency_ns", "stlb_hit_cycles"):
    changed("confidence-1.5", key, confidence=1.5)
    changed("confidence--1", key, confidence=-1)
    changed("no-confidence", key, confidence=None)
    changed("unit", key, unit="furlongs")
    changed("claim-invented", key, claimed=12345)
    changed("text", key, value="42")
for key in those_of("l1d_bytes", "line_bytes", "l1d_ways"):
    changed("agrees", key, agrees=not summary(good, key)["agrees"])
    changed("no-agrees", key, agrees=ABSENT)
    changed("no-claim", key, claimed=None, agrees=ABSENT)
for key in BRACKETED + PLAIN:
    edit(f"{key}-missing", [l for l in good if l.get("name") != key], key)
for key in those_of("l1d_bytes", "walk_cycles"):
    i = good.index(summary(good, key))
    edit(f"{key}-doubled", good[:i + 1] + good[i:], key)
    edit(f"{key}-renamed", good[:i] + [good[i] | {"name": "l9_bytes"}] + good[i + 1:], "l9_bytes")

# What the rows of this result do not show, and disturbances that the machine does not have.
for key, value in (("parallel_misses_4k", 99), ("page_size_effect", 2), ("fetch_bytes", 4096)):
    changed("invented", key, value=value, confidence=0.5, reason=ABSENT)
for key in those_of("memory_latency_ns", "l2_bytes"):
    changed("floor", key, floor=summary(good, key)["value"] / 2, disturbed_share=0.5)
changed("share-alone", "l2_bytes", disturbed_share=0.5)

# More than 5 % not resolved.
edit("not-resolved", [l | {"value": None, "confidence": 0, "reason": "too few points"}
     if l.get("name") in PLAIN else l for l in good], "l1d_latency_ns")

# The file.
bad = [l | {"value": l["value"] * 3} if l.get("name") == "l1d_bytes" else l for l in good]
edit("bad-run-then-good-run", bad + good, "run")
edit("bad-room-then-good-room", [l | {"room": "firmware"} for l in bad] + good, "l1d_bytes@firmware")
edit("seq", [l | {"seq": i + (i > 20)} for i, l in enumerate(good)], "seq", number=False)
edit("end-counts", good[:-1] + [good[-1] | {"rows": 1}], "end", count=False)
edit("other-machine", [good[0] | {"known_answer": {"machine": "another", "layer": "a"}}] + good[1:],
     "machine")
edit("other-room", [l | {"room": "bare"} for l in good], "room")
edit("value-without-line", [l for l in good if l.get("name") != "l2_bytes"], "l2_bytes")
edit("line-without-rows", good[:-1] + [summary(good, "l2_bytes") | {
    "name": "walk_root_4k_cycles", "probe": "walks", "unit": "cycles", "value": None, "low": None, "high": None,
    "claimed": None, "confidence": 0, "reason": "not measured in this run"}] + good[-1:], "walk_root_4k_cycles")
edit("line-lost", good[:9] + good[10:], "crc_all", count=False)

# Rows.
rows = [l for l in good if l["kind"] == "row"]


def find_row(choose):
    """Its place; only a machine that is measured by some probes may lack it: None."""
    i = next((i for i, l in enumerate(good) if l["kind"] == "row" and choose(l)), None)
    return i if i is not None or RESTRICTED else sys.exit(f"{result} lacks a row that is to be edited")


def row(name, choose, word, change=dict, **members):
    i = find_row(choose)
    if i is not None:
        edit(name, good[:i] + [change(good[i]) | members] + good[i + 1:], word)


def of_cycles(cycles):
    return lambda line: scaled(line, cycles / line["cycles"])


def is_row(probe, variant, level=None):
    return lambda l: (l.get("probe"), l.get("variant"), l.get("level")) == (probe, variant, level)


i = find_row(is_row("latency", "pointer-padded", "l2"))
if i is not None:
    edit("proof-failed", good[:i] + [{"kind": "skip"} | {k: v for k, v in good[i].items() if k in
         ("room", "probe", "variant", "level", "params")} |
         {"reason": "proof failed: the chase ended elsewhere"}] + good[i + 1:], "pointer-padded")
    edit("row-doubled", good[:i + 1] + good[i:], "latency:pointer-padded")
row("row-of-another-machine", is_row("latency", "pointer-padded"), "latency:pointer-padded",
    core_hz=next(l["core_hz"] for l in rows if "core_hz" in l) * 1.3)
row("row-median", is_row("tlb", "cost"), "tlb:cost", median=77)
row("row-origin", is_row("tlb", "cost"), "tlb:cost", origin="claimed")
row("row-samples", is_row("tlb", "cost"), "tlb:cost", samples=99)
row("latency-l2", is_row("latency", "pointer-padded", "l2"), "latency:pointer-padded l2",
    of_cycles(99))
row("chains", lambda l: is_row("mlp", "chains", "memory")(l) and l["params"]["lanes"] == 4,
    "mlp:chains", of_cycles(9))
row("divisions", is_row("clock", "div3-lfence"), "three_divisions", of_cycles(9))
row("narrow-reads", lambda l: is_row("bandwidth", "read", "l1")(l) and
    l["params"]["width_bits"] == 32, "bandwidth:read",
    lambda line: scaled(line, 3 / line["more"]["bytes_per_cycle"]))
edit("node-bytes", [good[0] | {"node_bytes": 256}] + good[1:], "node_bytes")

# Rows of several cores, each by more than its tolerance. Where there is one, of two nodes or pairs
# of CPUs that differ, the cost of the other. Then those of a variant are missing, or too small.
WRITES = ("write", "copy", "mix-3-1", "mix-2-1", "mix-1-1")  # down to half of the bound
FACTORS = {"cpu-clock": (0.99, 1.01), "cpu-l1": (0.97, 1.03), "cpu-l2": (0.97, 1.03),
           "loaded-latency": (0.6, 2.2), **dict.fromkeys(WRITES, (0.45, 2.2))}


for i, line in enumerate(good):
    if line.get("probe") == "cores" and line["kind"] == "row":
        word = "cores:" + line["variant"]
        for factor in FACTORS.get(line["variant"], (0.94, 1.06)):
            edit(f"cores-{i}-x{factor}", good[:i] + [scaled(line, factor)] +
                 good[i + 1:], word)
        for other in rows:
            same = [l["probe"] + l["variant"] for l in (line, other)]
            if same[0] == same[1] and line["variant"] in ("bounce", "node-latency", "node-read") \
                    and abs(other["median"] / line["median"] - 1) > 0.1:
                edit(f"cores-{i}-as-another", good[:i] + [
                    scaled(line, other["median"] / line["median"])] + good[i + 1:], word)
for variant in sorted({l["variant"] for l in rows if l["probe"] == "cores"}):
    of_it = [i for i, l in enumerate(good) if is_row("cores", variant, l.get("level"))(l)
             and l["kind"] == "row"]
    edit(f"cores-{variant}-missing", [l for i, l in enumerate(good) if i not in of_it], variant)
    i = of_it[-1]
    if "cpus" in good[i]["params"] and variant != "loaded-latency":
        edit(f"cores-{variant}-small", good[:i] + [good[i] | {"params": good[i]["params"] | {
            "bytes": 65536}}] + good[i + 1:], variant)

# A result of another machine, as it is, and under the name of this one.
for path in others:
    other = [json.loads(text) for text in path.read_text().splitlines()]
    edit(f"of-{path.stem}", other, "machine")
    values = {l["name"]: l["value"] for l in other if l["kind"] == "summary" and l["value"]}
    away = [key for key in measured if key in values and key not in SOFT and
            not 0.8 < values[key] / summary(good, key)["value"] < 1.25]
    if not away:
        sys.exit(f"{path} has no value that differs from one of {result}")
    edit(f"of-{path.stem}-renamed", [other[0] | {"known_answer": good[0]["known_answer"]}] +
         other[1:], away[0])

edit("crc-of-zeros", good, "crc")
for name, (lines, word, how) in edits.items():
    write(folder / name, lines, **how)
text = (folder / "good").read_text()
(folder / "crc-of-zeros").write_text(re.sub(r'"crc":"\w{8}"', '"crc":"00000000"', text))

missed = []
for (name, (_, word, _)), wrong in zip(edits.items(), judge(*(folder / name for name in edits))):
    if not any(re.match(re.escape(word) + r"[ @]", line) for line in wrong):
        missed.append(f"{folder / name}: '{word}' is not called wrong; called wrong: {wrong[:2]}")

# What is no complete result of this program ends the judge: the name of the file and the reason.
FOREIGN, CUT = "does not say that it comes from the known-answer machine", "the run is not complete"
start, middle = text.index("\n") + 1, text.index('"kind":"row"', len(text) // 2)
run = {"no-hypervisor": {"hypervisor": ABSENT}, "under-kvm": {"hypervisor": "KVM"},
       "not-emulated": {"emulated": False}}
refused = {name: ([{k: v for k, v in (good[0] | members).items() if v is not ABSENT}] + good[1:],
                  FOREIGN) for name, members in run.items()}
refused |= {"no-end": (good[:-1], CUT), "status": (good[:-1] + [good[-1] | {"status": "cut"}], CUT),
            "no-end-and-again": (good[:-1] + good, "the run before has no end"),
            "no-run": (good[1:], "a line outside of a run")}
for name, (lines, _) in refused.items():
    write(folder / name, lines, count=lines[0] is not good[1])
TEXTS = {"cut-within-a-row": (text[:middle + 40], "the file ends within a line"),
         "cut-before-its-last-byte": (text[:-1], "the file ends within a line"),
         "hole": (text[:middle + 40] + text[text.index("\n", middle):], "unexpected newline"),
         "empty": ("", CUT), "only-the-run-line": (text[:start], CUT)}
for name, (cut, _) in TEXTS.items():
    (folder / name).write_text(cut)
for name, (_, why) in (refused | TEXTS).items():
    out = subprocess.run(["build/kam", "--check", ini, str(folder / name)], capture_output=True,
                         text=True, check=False)
    if out.returncode in (0, 1) or str(folder / name) not in out.stderr or why not in out.stderr:
        missed.append(f"{folder / name}: expected the end with '{why}', got exit code "
                      f"{out.returncode} and: {out.stderr.strip()}")
done = len(edits) + len(refused) + len(TEXTS)
print(f"{done} edits of {result.stem}, {done - len(missed)} of them noticed and named")
sys.exit("\n".join(missed) or None)
