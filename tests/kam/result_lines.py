# SPDX-License-Identifier: MIT
"""A result file from lines that were changed."""
import json
import zlib

texts = {}  # of lines, by identity and number: most lines are in every file


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
