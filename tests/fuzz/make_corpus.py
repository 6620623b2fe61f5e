#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_corpus.py FOLDER: writes the seeds of the fuzz targets, FOLDER/TARGET/. Always the same files."""
import os
import struct
import sys
import zlib

ROOT = sys.argv[1]


def line(kind, room, seq, members):
    body = '{"kind":"%s","room":"%s","seq":%d%s' % (kind, room, seq, members)
    return '%s,"crc":"%08x"}\n' % (body, zlib.crc32(body.encode()))


RUN = (',"schema":"anechoic/2","build":"v1","cpu":{"brand":"X","model":85},"cpus":2,"emulated":%s,'
       '"hypervisor":"","tsc_hz":2500000000,"core_hz":3e9,"time_utc":"20260101T000000Z",'
       '"caches_claimed":[{"level":1,"type":"data","bytes":32768,"shared_by":2}],"seed":1')
ROW = (',"probe":"latency","variant":"%s","params":{"bytes":%d,"page_bytes":4096},"unit":"%s","samples":3,'
       '"min":1,"median":%g,"p99":3,"mad":0.1,"cycles":4,"core_hz":3e9,"disturbed":1,'
       '"counts":{"switches":3},"values":[1,%g,3],"flags":[0]')
NOISE = (',"probe":"noise","variant":"gaps","unit":"ns","samples":1,"median":5,'
         '"more":{"observed_seconds":10,"stolen_ns":900,"longest_ns":300},"values":[5]')


def run(room, emulated="false", factor=1.0, most=6):
    members = [("run", RUN % emulated), ("row", ROW % ("pointer", 1024, "ns/load", 2 * factor, 2)),
               ("row", ROW % ("read", 4096, "GB/s", 2 / factor, 2)), ("row", NOISE),
               ("skip", ',"probe":"tlb","reason":"no time"'),
               ("summary", ',"name":"l1d_bytes","value":32768,"claimed":null,"unit":"B","confidence":1')]
    members = members[:most]
    text = "".join(line(kind, room, seq, m) for seq, (kind, m) in enumerate(members))
    end = ',"status":"complete","rows":3,"summaries":1,"skips":1,"crc_all":"%08x"'
    return text + line("end", room, len(members), end % zlib.crc32(text.encode()))


def write(target, name, data):
    os.makedirs(os.path.join(ROOT, target), exist_ok=True)
    with open(os.path.join(ROOT, target, name), "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())


USES = ["show", "benchstat", "gbench", "csv", "bmf", "lava", "hwloc"]  # tests/fuzz/result_fuzz.c


def without_crc(text):
    return "\n".join(line[:line.index(',"crc"')] + "}" for line in text.splitlines())


def write_uses(name, sealed, text):
    """A seed for each use of a result: of its first run; and two to compare its runs."""
    one = text[:text.index('{"kind":"run"', 1)]
    for which, use in enumerate(USES):
        write("result", "%s-%s" % (name, use), bytes([2 * which + sealed]) + one.encode())
    for which, use in enumerate(["text", "json"]):
        write("compare", "%s-%s" % (name, use), bytes([2 * which + sealed]) + text.encode())


def results():
    both = run("bare") + run("hosted", "true", 1.5)
    bare = without_crc(both)
    write_uses("whole", 0, both)
    write("result", "cut", "0" + both[:700])
    write_uses("one-row", 1, without_crc(run("bare", most=2) + run("hosted", "true", 1.5, most=2)))
    write("result", "other-schema", "1" + bare.replace("anechoic/2", "anechoic/9"))
    write("result", "lost-line", "1" + "\n".join(bare.split("\n")[2:]))
    huge = bare.replace("2500000000", "1e308").replace("1024", "-1e300")
    write_uses("huge-numbers", 1, huge)
    write_uses("empty-strings", 1, bare.replace("latency", "").replace("ns/load", ""))
    write_uses("long-names", 1, bare.replace("latency", "p" * 900).replace("ns/load", "ns/" + "u" * 900))
    write("result", "deep", "1" + bare.replace('"seed":1', '"seed":' + "[" * 3000))
    write_uses("no-samples", 1, bare.replace("[1,2,3]", "[]").replace('"samples":3', '"samples":0'))
    write("result", "binary", bytes(range(256)) * 4)
    write("result", "blanks", "0" + both.replace(",", ", "))
    write("result", "utf-16", b"0" + both.encode("utf-16"))
    one = without_crc(run("bare")).encode()
    for row in range(0, 160, 20):
        write("sources", "row-%d" % row, bytes([1, row]) + one)
        write("sources", "row-%d-json" % row, bytes([3, row]) + one)
    write("sources", "huge-numbers", bytes([1, 0]) + huge.encode())


def logs():
    both = run("firmware") + run("bare")
    write("serial", "clean", both)
    write("serial", "crlf-ansi", "\x1b[2J\x1b[1;1HBdsDxe: starting\r\n" + both.replace("\n", "\x1b[0m\r\n"))
    write("serial", "mixed", both.replace("\n", " text {\"kind\":\"\n[ 1.0] kernel: "))
    write("serial", "lost", both[:300] + both[320:900] + both[1000:])
    write("serial", "twice", both + both)
    write("serial", "no-newlines", both.replace("\n", ""))
    write("serial", "folded", "\r\n".join(line[at:at + 80] for line in both.split("\n") for at in range(0, len(line), 80)))
    bare = run("bare").splitlines(True)
    write("serial", "run-line-again", "".join([bare[0][:40], *bare[1:2], bare[0], *bare[2:-1], bare[0], bare[-1]]))
    write("serial", "run-line-late", "".join([*bare[1:3], bare[0], bare[1], bare[0]]))
    write("serial", "garbage", bytes((i * 7919 >> 3) & 255 for i in range(2000)))


def settings():
    for name, text in {
        "good": "\ufeff# comment\r\nprofile = smoke\r\n probes=latency,mlp # why\r\npage = 2m\r\n",
        "bad": "profole = fast\nprofile = fast\n=\nseed = 99999999999999999999\nlargest = 64q\nx\n",
        "options": "seed = 7\n\\EFI\\BOOT\\BOOTX64.EFI profile=full rooms=bare seed=0x7f",
        "long": "probes = " + "latency," * 200 + "\n" + "k" * 3000 + " = 1\n",
        "binary": "\0\1\x02profile\0=smoke\n",
    }.items():
        write("settings", name, text)


def packed(text, stream=None, length=None):
    stream = zlib.compress(text) if stream is None else stream
    return struct.pack("<4sIII", b"ANEC", 1, len(text) if length is None else length,
                       zlib.crc32(text)) + stream


def packs():
    text = run("bare").encode()
    write("pack", "good", b"0" + packed(text))
    write("pack", "stored", b"0" + packed(text[:100], zlib.compress(text[:100], 0)))
    write("pack", "cut", b"0" + packed(text)[:200])
    write("pack", "longer", b"0" + packed(text, None, len(text) + 1))
    write("pack", "shorter", b"0" + packed(text, None, len(text) - 1))
    write("pack", "huge", b"0" + packed(text, None, 0xffffffff))
    write("pack", "text", b"1" + text)
    write("pack", "repeats", b"1" + b"ab" * 5000)


def table(kind, body, revision=2):
    return struct.pack("<BH", kind | revision << 3, len(body)) + body


# A run of room bare and its card, as lib/qr_card.h has them.
CARD = ("BARE/V1.2-34-GABCDEF0/20260102*T030405Z/DEFAULT/*G*ENUINE*I*NTEL/"
        "*I*NTEL%28*R%29 X*EON%28*R%29 P*LATINUM 8480%2B/6/143/8/112/1/*TCGTCGTCGTCG/2000000000/ACPI%5FPM:"
        "CORE-CLOCK-HZ/*H*Z/8.181698/2:CORE-TSC-RATIO/CYCLES%2FTICK/16.03006/3:"
        "L1D-BYTES//3072/5/3072-/3072/3136:+LATENCY-NS//31.72679/7:+CYCLES//39.57516/8:"
        "L2-BYTES//6144/10/6144+/6144/6208:+LATENCY-NS//55.27188/11:+CYCLES//63.12026/13:"
        "L3-BYTES//%TOO FEW POINTS:+LATENCY-NS//78.81698/16:+CYCLES//86.66534/18:"
        "L4-BYTES//12288/20/12288+/12288/12352:+LATENCY-NS//102.3621/21:+CYCLES//110.2104/23:"
        "MEMORY-LATENCY-NS//118.0588/25:+CYCLES//125.9071/26:PAGE-SIZE-EFFECT/RATIO/133.7556/28:"
        "PARALLEL-MISSES//%$:+MISSES-4K/$/149.4522/31:COMPLETE//1/1/0/1.5:")


def cards():
    def whole(version):
        text = "ANECHOIC IMPORT --QR %d:%s" % (version, CARD)
        return "0%s%08X" % (text, zlib.crc32(text.encode()))

    write("qr", "whole", whole(1))
    write("qr", "cut", whole(1)[:301])
    write("qr", "later", whole(2))
    write("qr", "sealed", "1" + CARD)
    spliced = CARD[:CARD.index("ATENCY-NS//55")] + CARD[CARD.index("MISSES//"):]
    write("qr", "no-confidence", "1" + spliced.replace("HZ/*H*Z/8.181698/2", "HZ+*H*Z/8.181/9682"))
    write("qr", "small", "1BARE:CORE-CLOCK-HZ/*H*Z/3200000000/66//1/2:COMPLETE//1/2:")
    write("qr", "crafted", "1BARE/%41%00:+X:A/$/%$:B//1E999/-/-+:-A//5/*:FAULTED/WHY/1E30:")


def acpi():
    cpus = b"".join(struct.pack("<BBBBI", 0, 8, i, i, 1) for i in range(4)) + struct.pack("<BBHIII", 9, 16, 0, 300, 1, 9)
    madt = table(0, struct.pack("<II", 0xfee00000, 1) + cpus)
    fadt = table(1, struct.pack("<40xI11xB20xI92xBBBBQ", 0x608, 4, 1 << 8, 1, 32, 0, 3, 0x608))
    hpet = table(2, struct.pack("<IBBBBQ", 0x8086a201, 0, 64, 0, 0, 0xfed00000))
    spcr = table(3, struct.pack("<B3xBBBBQ", 0, 1, 8, 0, 1, 0x3f8))
    memory = struct.pack("<BBIHQQII8x", 1, 40, 0, 0, 0, 1 << 31, 0, 1)
    srat = table(4, bytes(12) + struct.pack("<BBBBIBBBBI", 0, 16, 0, 0, 1, 0, 0, 0, 0, 0) + memory)
    slit = table(5, struct.pack("<Q4B", 2, 10, 21, 21, 10))
    every = madt + fadt + hpet + spcr + srat + slit
    for name, flags in {"wide": 0, "narrow": 1, "bad-sums": 2, "gaps": 4, "narrow-gaps": 5}.items():
        write("acpi", name, bytes([flags]) + every)
    write("acpi", "short", b"\0" + b"".join(table(kind, b"\1") for kind in range(6)))
    write("acpi", "entry-of-0", b"\0" + table(0, bytes(8) + b"\0\0") + table(4, bytes(12) + b"\1\2"))
    write("acpi", "entry-too-long", b"\0" + table(0, bytes(8) + b"\0\xff\0"))
    write("acpi", "slit-huge", b"\0" + table(5, struct.pack("<Q4B", 1 << 32, 1, 2, 3, 4)))


def stored():
    def one(name, flags, file=b"20260101T000000Z-bare.ndjson", counts=b"\0\0", text=run("bare").encode()):
        write("stored", name, bytes([flags]) + counts + file.ljust(47, b"\0") + text)

    one("whole", 2)
    one("not-packed", 0)
    one("lost-chunk", 16)
    one("chunks", 6, counts=b"\x11\0")
    one("bytes", 10, counts=b"\0\xff")
    one("long-name", 2, b"n" * 47)
    one("other-folder", 2, b"..\\EFI\\BOOT\\BOOTX64.EFI")
    one("no-name", 2, b"")
    write("stored", "raw", b"\1" + bytes(200))


def node(kind, subtype, data):
    return struct.pack("<BBH", kind, subtype, 4 + len(data)) + data


END = node(0x7f, 0xff, b"")


def options():
    text = "anechoic: a result waits\0".encode("utf-16-le")
    root = node(2, 1, struct.pack("<II", 0x0a0341d0, 0)) + node(1, 1, b"\0\2")
    disk = node(4, 1, struct.pack("<IQQ16sBB", 1, 2048, 129000, bytes(range(16)), 2, 2))
    file = node(4, 4, "\\EFI\\BOOT\\BOOTX64.EFI\0".encode("utf-16-le"))

    def one(name, path, device, path_bytes=None):
        n = len(path) if path_bytes is None else path_bytes
        option = struct.pack("<IH", 1, n) + text + path
        write("option", name, struct.pack("<H", len(option)) + option + device)

    one("short-form", disk + file + END, root + disk + END)
    one("whole", root + disk + file + END, root + disk + END)
    one("usb-class", node(3, 15, struct.pack("<HHBBB", 0xffff, 0xffff, 0xff, 0xff, 0xff)) + END, root + END)
    one("other-device", root + END, root + disk + END)
    one("no-end", disk, root + disk)
    one("path-too-long", disk + END, root + disk + END, 0xffff)
    one("node-of-0", b"\4\1\0\0", root + b"\4\1\0\0" + END)
    one("network", root + node(3, 11, bytes(33)) + END, root + node(3, 11, bytes(33)) + END)


def servers():
    def packet(name, options=b"", file=b"pxe/BOOTX64.EFI", server=b"", ip=b"\x0a\x09\0\1"):
        fixed = bytes(20) + ip + bytes(20) + server.ljust(64, b"\0") + file.ljust(128, b"\0")
        write("server", name, b"\0" + fixed + b"\x63\x82\x53\x63" + options + b"\xff")

    packet("dhcp", b"\x03\x04\x0a\x09\0\xfe\x36\x04\x0a\x09\0\1")
    packet("dhcp-options", b"\0\0\x43\x07a/b.efi\x36\x04\x0a\x09\0\2", b"", ip=bytes(4))
    packet("dhcp-overload", b"\x34\x01\x03", b"\x43\x05x.efi\xff", b"\x03\x04\x0a\x09\0\3\xff")
    packet("dhcp-cut", b"\x43\xff")
    packet("dhcp-scheme", file=b"http://10.9.0.1/BOOTX64.EFI")
    for name, uri in ("uri", "http://10.9.0.1/pxe/BOOTX64.EFI"), ("uri-bare", "https://[fe80::1]:8080"), \
            ("uri-query", "http://h/a?b=/c#d/"), ("uri-none", "ftp://h/x"), ("uri-long", "http://h/" + 300 * "a/"):
        write("server", name, b"\1" + uri.encode())
    for name, text in ("length", " 1234"), ("length-far", "9007199254740993"), ("name", "Content-Length"), \
            ("full", "Disk full or allocation exceeded"):
        write("server", name, b"\2" + text.encode())


def states():
    hung = "hung mp-services 20260101T000000Z\n"

    def one(name, text, variable=b"", flags=1):
        write("state", name, bytes([flags]) + variable.ljust(20, b"\0") + text.encode())

    one("nothing", "")
    one("in-a-step", "at mp-services 20260101T000000Z\n" + hung)
    one("bare", "at bare -\nlast usb-00:14.0 20260101T000000Z\n", b"setvar")
    one("exit", "at exit 20260101T000000Z\nlast runtime -\n")
    one("disowned", "at mp-services -\n", b"left", 5)
    one("full", 8 * hung + "at bare 20260101T000000Z\n", b"x" * 20)
    one("odd-variable", "at bare 20260101T000000Z\n", b"xxx\x88\n x")
    one("once", "at mp-services -\ngood 9\nhung? mp-services 20260101T000000Z\nlast? cpus -\n" + hung)
    one("good", "good 9\nlast? cpus -\n" + hung)
    one("clear", hung, flags=11)
    one("not-sealed", "anechoic state 2 (to forget it: state = clear)\n", flags=0)
    one("counts", "entries 2\nresets 3\nended 70dbd880\n", flags=3)
    one("series", "series 20260101T000000Z cafe 3 2 1 1 0\n", flags=3)


results()
logs()
settings()
packs()
cards()
acpi()
stored()
options()
servers()
states()
