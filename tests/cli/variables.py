#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""variables.py DIR RESULT: the firmware variables of a result as efivarfs shows them (linux/efivars.h)."""
import os
import struct
import sys
import zlib

where, result = sys.argv[1:]
text = open(result, "rb").read()
packed = struct.pack("<4sIII", b"ANEC", 1, len(text), zlib.crc32(text)) + zlib.compress(text)
chunks = [packed[i:i + 4096] for i in range(0, len(packed), 4096)]
header = struct.pack("<4sIIII48s", b"ANES", 1, len(chunks), len(packed), zlib.crc32(packed), b"x.ndjson")
header += struct.pack("<I", zlib.crc32(header))
for name, data in [("", header)] + [(f"{i:02}", chunk) for i, chunk in enumerate(chunks)]:
    path = f"{where}/AnechoicResult{name}-52b20cc6-8b4e-4a3f-9d1e-6f0c5b7a21e4"
    with open(os.open(path, os.O_CREAT | os.O_WRONLY), "wb") as file:
        file.write(b"\7\0\0\0" + data)
