#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fixture.py OUT [ROOM [FACTOR [CPU [DISTURBED]]]]: writes a small complete result, times times FACTOR."""
import sys

from made_result import Result

out, room, factor, cpu, disturbed = (sys.argv[1:] + ["hosted", "1", "X 1", "0"][len(sys.argv) - 2:])[:5]
result = Result(room, cpu={"brand": cpu, "model": 85}, emulated=cpu == "QEMU")
for i, size in enumerate((1024, 65536, 1048576)):
    result.row("pointer", [float(factor) * (i + 1) * (1 + k / 10000) for k in range(9)], params={"bytes": size},
               disturbed=int(disturbed), counts={"switches": int(disturbed)})
result.add("skip", probe="tlb", reason="no time")
result.add("summary", name="l1d_bytes", value=32768, unit="B", claimed=32768, agrees=True, confidence=1)
result.write(out)
