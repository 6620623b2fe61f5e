#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wrapped.py FILE.md...: prints the lines that are too long: over 100 columns, a table's over 160.
Code, fenced or indented by four, is as long as it is."""
import sys

long = 0
for path in sys.argv[1:]:
    fenced = False
    with open(path, encoding="utf-8") as text:
        for number, line in enumerate(text.read().splitlines(), 1):
            fenced ^= line.startswith("```")
            most = 160 if line.startswith("|") else 100
            if len(line) > most and not fenced and not line.startswith("    "):
                print(f"{path}:{number}: {len(line)} columns, at most {most}")
                long += 1
sys.exit(long > 0)
