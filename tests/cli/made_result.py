# SPDX-License-Identifier: MIT
"""Result files that no machine measured, with right checksums (docs/format.md)."""
import json
import zlib


class Result:
    """One run of a room. Lines are added in order; write() closes it with its end line."""

    def __init__(self, room='hosted', **members):
        self.room, self.lines = room, []
        self.counts = {'row': 0, 'summary': 0, 'skip': 0}
        self.add('run', **{'schema': 'anechoic/2', 'build': 'v1', 'cpu': {'brand': 'X 1', 'model': 85},
                           'cpus': 2, 'emulated': False, 'hypervisor': '', 'tsc_hz': 2500000000,
                           'core_hz': 3e9, **members})

    def add(self, kind, **members):
        line = {'kind': kind, 'room': self.room, 'seq': len(self.lines), **members}
        body = json.dumps(line, separators=(',', ':'))[:-1]
        self.lines.append('%s,"crc":"%08x"}\n' % (body, zlib.crc32(body.encode())))
        if kind in self.counts:
            self.counts[kind] += 1

    def row(self, variant, values, unit='ns/load', probe='latency', **members):
        """A row of samples in the order taken; its median is over all of them."""
        ranked = sorted(values)
        n = len(ranked)
        median = (ranked[(n - 1) // 2] + ranked[n // 2]) / 2
        away = sorted(abs(v - median) for v in ranked)
        self.add('row', **{'probe': probe, 'variant': variant, 'unit': unit, 'samples': n,
                           'min': ranked[0], 'median': median, 'p99': ranked[-1],
                           'mad': away[n // 2], 'core_hz': 3e9, 'disturbed': 0,
                           'values': list(values), **members})

    def write(self, path):
        self.add('end', status='complete', rows=self.counts['row'], summaries=self.counts['summary'],
                 skips=self.counts['skip'], seconds=1.5,
                 crc_all='%08x' % zlib.crc32(''.join(self.lines).encode()))
        with open(path, 'w', encoding='ascii', newline='\n') as file:
            file.write(''.join(self.lines))
