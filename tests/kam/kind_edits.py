#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kind_edits.py MACHINE.ini RESULT FOLDER: falsifies a whole result, every row with all its samples,
in one way of each kind that a fault of the program could take. Prints the kinds that the judge does
not notice; fails if one of them is not listed below, or if one that is listed is noticed."""
import json
import pathlib
import subprocess
import sys

from result_lines import STATISTICS, scaled, write

ini, result, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
good = [json.loads(text) for text in result.read_text().splitlines()]
ENDS = ("value", "low", "high", "rise_10", "rise_50", "rise_90")

# What no rule can tell from a right result, with the reason.
NOT_NOTICED = {
    "dropped-latency-pointer": "layer a leaves out rows that no parameter depends on",
    "row-ops-x2": "how many operations a sample has is the probe's choice",
    "row-overhead-x2": "what an empty call costs depends on how the loop is entered",
    "run-seed": "any seed is as good as another",
    "run-pages": "layer a states what pages there are",
    "summary-confidence-x0.9": "how sure a value is has no truth in one run",
    "again-dropped": "an edge that is not measured again is no less right",
}

edits = {}


def edit(name, lines):
    if lines == good:
        sys.exit(f"{result}: {name} changes nothing")
    edits[name] = lines


def of(probe, *variants):
    return lambda l: l["kind"] == "row" and l["probe"] == probe and (
        not variants or l["variant"] in variants)


def without(name, choose):
    edit(name, [l for l in good if not choose(l)])


def each(name, choose, change, most=None):
    """A result with some lines changed: all that are chosen, or the `most` in their middle."""
    at = [i for i, l in enumerate(good) if choose(l)]
    if not at:
        sys.exit(f"{result} has no line for {name}")
    if most:
        start = (len(at) - most) // 2
        at = at[start:start + most]
    lines = list(good)
    for i in at:
        lines[i] = change(dict(lines[i]))
    edit(name, lines)


def put(**members):
    return lambda line: line | members


def times(factor, *keys):
    return lambda line: line | {k: line[k] * factor for k in keys if line.get(k) is not None}


def slower(factor):
    """Only what the row's numbers should be can tell."""
    return lambda line: scaled(line, factor)


def later(ns):
    """The same of rows whose time may be 0."""
    return lambda line: line | {k: line[k] + ns for k in STATISTICS if line.get(k) is not None} | {
        "values": [value + ns for value in line["values"]]}


def reverse(choose):
    at = [i for i, l in enumerate(good) if choose(l)]
    lines = list(good)
    for i, k in zip(at, reversed(at)):
        lines[i] = good[k] | {key: good[i][key] for key in ("params", "seq", "at_seconds")}
    return lines


def is_summary(*names):
    return lambda l: l["kind"] == "summary" and l["value"] is not None and (
        not names or l["name"] in names)


def run(**members):
    return [good[0] | members] + good[1:]


ANY = of("latency", "pointer-padded")
EVERY = lambda l: l["kind"] == "row"
LARGE = lambda l: l.get("params", {}).get("page_bytes", 0) == 2 << 20

# Rows that are missing, without a skip.
for probe in ("tlb", "window", "branch", "latency", "ways", "mlp", "bandwidth", "stride", "noise"):
    without(f"dropped-{probe}", of(probe))
for probe, variant in (("tlb", "cost"), ("tlb", "upper"), ("branch", "period"), ("mlp", "chains"),
                       ("branch", "targets"), ("branch", "return-stack"), ("clock", "core-clock"),
                       ("branch", "learn"), ("latency", "pointer"), ("bandwidth", "copy")):
    without(f"dropped-{probe}-{variant}", of(probe, variant))
for probe, variant, key, value in (
        ("latency", "pointer-padded", "bytes", 8192), ("tlb", "cost", "pages", 512),
        ("window", "two-misses", "instructions", 643), ("ways", "same-set", "ways", 20),
        ("branch", "period", "elements", 32768), ("branch", "targets", "targets", 512),
        ("branch", "return-stack", "depth", 40), ("mlp", "chains", "lanes", 20),
        ("branch", "learn", "pass", 10), ("stride", "flush-beside", "apart_bytes", 32)):
    if not any(l["kind"] == "row" and l["probe"] == probe and l["variant"] == variant and
               l["params"].get(key) == value for l in good):
        sys.exit(f"{result} has no {probe} {variant} of {key} {value}")
    without(f"dropped-one-{probe}-{variant}", lambda l: of(probe, variant)(l) and
            l["params"].get(key) == value)
without("dropped-a-level", lambda l: of("latency", "pointer-padded")(l) and l.get("level") == "l2")
without("again-dropped", lambda l: l["kind"] == "row" and "again" in l.get("params", {}))
without("skips-dropped", lambda l: l["kind"] == "skip" and l["probe"] == "bandwidth")

# A row against itself.
each("row-ns-x2", ANY, times(2, *STATISTICS), 1)
each("row-values-x2", ANY, lambda l: l | {"values": [2 * v for v in l["values"]]}, 1)
each("row-cycles-x1.3", of("random"), times(1.3, "cycles"), 1)
each("row-gbs-x1.3", of("bandwidth", "nt-write"), lambda l: times(1.3, *STATISTICS)(l) | {
    "values": [v * 1.3 for v in l["values"]]}, 1)
for key in ("p10", "p90", "max", "min", "mean", "mad"):
    each(f"row-{key}", ANY, lambda l: l | {key: l[key] + 0.5 * l["median"]}, 1)
each("row-p99-invented", ANY, lambda l: l | {"p99": l["max"]}, 1)
each("row-outliers", ANY, put(outliers=3), 1)
each("row-disturbed", ANY, put(disturbed=2), 1)
each("row-undisturbed", ANY, put(undisturbed=5), 1)
each("row-counts", ANY, put(counts={"smis": 7}), 1)
each("row-counts-unknown", ANY, put(counts={"naps": 0}), 1)
each("row-unit", ANY, put(unit="ns/op"), 1)
each("row-unit-of-speed", of("bandwidth", "read"), put(unit="ns/op"), 1)
each("row-at-seconds", ANY, put(at_seconds=0), 1)
each("row-words-x2", of("random", "read"), lambda l: l | {"more": times(2, "words_per_s")(
    l["more"])}, 1)
each("row-gb-x2", of("mlp", "chains"), lambda l: l | {"more": times(2, "gb_per_s")(l["more"])}, 1)
each("row-ops-x2", ANY, times(2, "ops"), 1)
each("row-overhead-x2", ANY, times(2, "overhead_ticks"), 1)
each("row-core-hz", ANY, times(1.1, "core_hz"), 1)

# A row against the machine.
each("tlb-cost-x3", of("tlb", "cost"), slower(3))
each("tlb-cost-one-x3", lambda l: of("tlb", "cost")(l) and l["params"]["pages"] == 128, slower(3))
edit("tlb-cost-reversed", reverse(lambda l: of("tlb", "cost")(l) and LARGE(l)))
each("tlb-upper-later", of("tlb", "upper"), later(5))
for variant in ("penalty", "period", "targets", "return-stack", "learn"):
    each(f"branch-{variant}-x1.5", of("branch", variant), slower(1.5))
for variant in ("period", "targets", "return-stack"):
    each(f"branch-{variant}-one-x1.5", of("branch", variant), slower(1.5), 1)
edge = next(l["value"] for l in good if l.get("name") == "window_instructions")
for name, low, high in (("below", 0.8, 0.99), ("above", 1.01, 1.1)):
    each(f"window-near-edge-{name}-x1.3", lambda l: of("window")(l) and
         low <= l["params"]["instructions"] / edge <= high, slower(1.3))
edit("window-reversed", reverse(of("window")))
each("latency-one-x1.3", lambda l: of("latency", "pointer-padded")(l) and
     l["params"]["bytes"] == 8192, slower(1.3))
each("ways-x1.5", of("ways", "same-set"), slower(1.5))
each("stride-x1.5", of("stride", "flush-beside"), slower(1.5))

# The summary.
for name in ("parallel_misses", "mispredict_cycles", "l1d_bytes", "memory_latency_ns"):
    each(f"bracket-1..1000-{name}", is_summary(name), put(low=1, high=1e9 if "bytes" in name
                                                          else 1000))
each("confidences-1", is_summary(), put(confidence=1.0))
each("confidences-0.01", is_summary(), put(confidence=0.01))
each("confidences-0.95", is_summary(), put(confidence=0.95))
each("summary-confidence-x0.9", is_summary("l2_bytes"), times(0.9, "confidence"))
INVENTED = {"l4_bytes": (64 << 20, "bytes"), "l4_latency_cycles": (150, "cycles"),
            "l4_latency_ns": (50, "ns"), "read_bytes_per_cycle_l4": (5, "bytes/cycle")}
shape = next(l for l in good if is_summary("l1d_latency_ns")(l))
edit("level-invented", good[:-1] + [shape | {"name": name, "value": value, "unit": unit,
                                             "confidence": 0.9}
                                    for name, (value, unit) in INVENTED.items()] + good[-1:])
edit("bandwidth-invented", good[:-1] + [shape | {
    "name": "read_bytes_per_cycle_l4", "value": 5, "unit": "bytes/cycle"}] + good[-1:])

# The run line.
for key, factor in (("tsc_hz", 1.1), ("core_hz", 1.1), ("arena_bytes", 2), ("cpus", 3)):
    edit(f"run-{key}", run(**{key: good[0][key] * factor}))
edit("run-brand", run(cpu=good[0]["cpu"] | {"brand": "Another"}))
edit("run-vendor", run(cpu=good[0]["cpu"] | {"vendor": "AuthenticAMD"}))
edit("run-family", run(cpu=good[0]["cpu"] | {"family": 25}))
edit("run-caches", run(caches_claimed=[l | {"bytes": 2 * l["bytes"]}
                                       for l in good[0]["caches_claimed"]]))
edit("run-caches-dropped", run(caches_claimed=good[0]["caches_claimed"][:1]))
edit("run-profile", run(profile="full"))
edit("run-profile-unknown", run(profile="long"))
edit("run-page-bytes", run(page_bytes=4096))
edit("run-pages", run(pages=[4096]))
edit("run-seed", run(seed=2))
edit("run-node-bytes", run(node_bytes=128))
edit("run-tsc-invariant", run(tsc_invariant=False))

folder.mkdir(parents=True, exist_ok=True)
for name, lines in edits.items():
    write(folder / name, lines)
write(folder / "as-it-is", good)
out = subprocess.run(["build/kam", "--check", ini, folder / "as-it-is",
                      *(folder / name for name in edits)], capture_output=True, text=True,
                     check=False).stdout.split("== ")[1:]
if "WRONG" in out[0]:
    sys.exit(f"the result is wrong before any edit: {out[0]}")
missed = [name for name, said in zip(edits, out[1:]) if "WRONG" not in said]
print(f"{len(edits)} kinds of edits, {len(edits) - len(missed)} of them noticed; not: "
      f"{' '.join(missed)}")
problems = [f"{folder / name}: not noticed" for name in missed if name not in NOT_NOTICED]
problems += [f"{name}: noticed, but listed as not" for name in NOT_NOTICED if name not in missed]
sys.exit("\n".join(problems) or None)
