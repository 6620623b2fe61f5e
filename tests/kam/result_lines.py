# SPDX-License-Identifier: MIT
"""Rows that were changed, a result file from lines that were, and what the judge makes of such."""
import json
import re
import subprocess
import sys
import zlib

STATISTICS = ("min", "p10", "median", "p90", "p99", "max", "mean")
texts = {}  # of lines, by identity and number: most lines are in every file


def scaled(row, factor):
    """The row of a machine that is slower or faster: its numbers agree with each other."""
    row = row | {k: row[k] * factor for k in (*STATISTICS, "mad", "cycles")
                 if row.get(k) is not None}
    row["values"] = [value * factor for value in row["values"]]
    more = row.get("more", {})
    more = more | {k: more[k] * factor for k in ("bytes_per_cycle", "words_per_s") if k in more}
    more = more | {k: more[k] / factor for k in ("gb_per_s",) if k in more}
    return row | {"more": more} if more else row


def single(row):
    """The row with one sample, its median."""
    row = {k: v for k, v in row.items() if k != "undisturbed"}
    return row | {k: row["median"] for k in STATISTICS} | {
        "samples": 1, "values": [row["median"]], "p99": None, "mad": 0, "outliers": 0,
        "disturbed": 0, "flags": []}


def text_of(line, seq):
    key = (id(line), seq)
    if key not in texts:
        body = {k: v for k, v in (line | {"seq": seq}).items() if k != "crc"}
        text = json.dumps(body, separators=(",", ":"))[:-1]
        texts[key] = (f'{text},"crc":"{zlib.crc32(text.encode()):08x}"}}\n', line)
    return texts[key][0]


def write(path, lines, number=True, count=True):
    """A file as the program would write it: numbered, counted and summed up anew."""
    crc, n, out = 0, 0, []
    kinds = {}
    for line in lines:
        if line["kind"] == "run":
            crc, n, kinds = 0, 0, dict.fromkeys(("row", "summary", "skip"), 0)
        if line["kind"] == "end" and count:
            line = line | {"rows": kinds["row"], "summaries": kinds["summary"],
                           "skips": kinds["skip"], "lines": n, "crc_all": f"{crc:08x}"}
        kinds[line["kind"]] = kinds.get(line["kind"], 0) + 1
        out.append(text_of(line, n if number else line["seq"]))
        crc = zlib.crc32(out[-1].encode(), crc)
        n += 1
    path.write_text("".join(out))


def read(path):
    return [json.loads(text) for text in open(path)]


def judge(ini, folder, cases):
    """Ends the program: each case is what the judge must call wrong by its name, or not resolved
    (None: it must call nothing wrong), and the lines of a result."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / str(n) for n in range(len(cases))]
    for path, (_, lines) in zip(paths, cases):
        write(path, lines)
    out = subprocess.run(["build/kam", "--check", ini, *map(str, paths)], capture_output=True,
                         text=True, check=False).stdout
    missed = []
    for path, (name, _), said in zip(paths, cases, out.split("== ")[1:], strict=True):
        wrong = [l for l in said.split("\n") if "WRONG" in l or "got not resolved" in l]
        if not any(re.match(re.escape(name) + "[ @]", l) for l in wrong) if name else wrong:
            missed.append(f"{path}: expected {name or 'nothing'} WRONG, got {wrong}")
    print(f"{len(cases)} results, {len(cases) - len(missed)} of them judged as they should be")
    sys.exit("\n".join(missed) or None)
