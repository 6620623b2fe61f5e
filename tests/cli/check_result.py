#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_result.py FILE STATUS: every line's CRC, the sequence, and how the run ended.

STATUS is complete, interrupted or cut (no end line). Exit code 1 says what is wrong and where.
"""
import json
import re
import sys
import zlib


def fail(number, text):
    sys.exit(f"{sys.argv[1]}: line {number}: {text}")


def check_line(number, line):
    if not line.endswith(b"\n"):
        fail(number, "expected a whole line, got one without its newline")
    body = line[: line.rfind(b',"crc":"')]
    value = json.loads(line)
    crc = f"{zlib.crc32(body):08x}"
    if value["crc"] != crc:
        fail(number, f"expected crc {crc}, got {value['crc']}")
    if value["seq"] != number:
        fail(number, f"expected seq {number}, got {value['seq']}")
    return value


with open(sys.argv[1], "rb") as result:
    lines = result.readlines()
values = [check_line(number, line) for number, line in enumerate(lines)]
if not values or values[0]["kind"] != "run":
    fail(0, "expected a run line")
if not re.fullmatch(r"\d{8}T\d{6}Z", values[0].get("time_utc", "absent")):
    fail(0, f"expected time_utc as 20260101T000000Z, got {values[0].get('time_utc', 'none')}")
end = values[-1] if values[-1]["kind"] == "end" else None
status = end["status"] if end else "cut"
if status != sys.argv[2]:
    fail(len(lines) - 1, f"expected status {sys.argv[2]}, got {status}")
if end and end["crc_all"] != f"{zlib.crc32(b''.join(lines[:-1])):08x}":
    fail(len(lines) - 1, "wrong crc_all")
