#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fixture.py OUT [ROOM [FACTOR [CPU [DISTURBED]]]]: writes a small complete result, times times FACTOR."""
import sys
import zlib

out, room, factor, cpu, disturbed = (sys.argv[1:] + ["hosted", "1", "X 1", "0"][len(sys.argv) - 2:])[:5]
emulated = "true" if cpu == "QEMU" else "false"
lines = []


def add(kind, members):
    body = '{"kind":"%s","room":"%s","seq":%d%s' % (kind, room, len(lines), members)
    lines.append('%s,"crc":"%08x"}\n' % (body, zlib.crc32(body.encode())))


add("run", ',"schema":"anechoic/2","build":"v1","cpu":{"brand":"%s","model":85},"cpus":2,'
    '"emulated":%s,"hypervisor":"","tsc_hz":2500000000,"core_hz":3e9' % (cpu, emulated))
for i, size in enumerate((1024, 65536, 1048576)):
    values = [float(factor) * (i + 1) * (1 + k / 10000) for k in range(9)]
    add("row", ',"probe":"latency","variant":"pointer","params":{"bytes":%d},"unit":"ns/load","samples":9,"min":%g,'
        '"median":%g,"p99":%g,"mad":0.0001,"core_hz":3e9,"disturbed":%s,"counts":{"switches":%s},'
        '"values":[%s]' % (size, values[0], values[4], values[8], disturbed, disturbed,
                           ",".join("%g" % v for v in values)))
add("skip", ',"probe":"tlb","reason":"no time"')
add("summary", ',"name":"l1d_bytes","value":32768,"unit":"B","claimed":32768,"agrees":true,"confidence":1')
add("end", ',"status":"complete","rows":3,"summaries":1,"skips":1,"seconds":1.5,"crc_all":"%08x"'
    % zlib.crc32("".join(lines).encode()))
with open(out, "w", encoding="ascii", newline="\n") as file:
    file.write("".join(lines))
