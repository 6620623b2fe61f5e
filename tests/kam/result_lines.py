# SPDX-License-Identifier: MIT
"""Rows that were changed, and a result file from lines that were."""
import json
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
