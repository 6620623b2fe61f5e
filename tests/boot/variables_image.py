#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""variables_image.py IN OUT [--owner DER] [--boot URI]: OVMF's variable store with more variables.

--owner: the certificate becomes PK, KEK and db, so that Secure Boot is on with these alone.
--mok: the certificate is in shim's MokList, as MokManager would have put it there.
--boot: the first boot entry is this URI (empty: the one that DHCP names), by whatever network card there is
(UEFI 2.10, 10.3.4.23).
--entry: it is \\EFI\\anechoic\\anechoic.efi of tools/make-image's partition, with these load options, as
efibootmgr writes it (10.3.5.1, 10.3.5.4).
--whole: its load options are a whole boot option with these at its end, as Dell's firmware hands them over.

The layout: EDK2, MdeModulePkg/Include/Guid/VariableFormat.h.
"""
import argparse
import struct
import uuid

GLOBAL = uuid.UUID("8be4df61-93ca-11d2-aa0d-00e098032b8c")
SECURITY = uuid.UUID("d719b2cb-3d3a-4596-a3bc-dad00e67656f")
SHIM = uuid.UUID("605dab50-e046-4300-abb6-3dd810dd8b23")
X509 = uuid.UUID("a5c059a1-94e4-4aa7-87b5-ab155c2bf072")
OWNER = uuid.UUID("3d5a29c1-7a5e-4b63-8d0f-52c5a6b1f4e7")
PARTITION = uuid.UUID("a3c7e8d2-18b4-4a0c-8f2e-9d6b5c4e3f22")
FIRST, SECTORS = 2048, 64 * 2048 - 2048 - 33
NON_VOLATILE, BOOT, RUNTIME, TIMED = 1, 2, 4, 0x20
HEADER = struct.Struct("<HBBIQ16sIII16s")


def variable(name, guid, attributes, data):
    name = name.encode("utf-16-le") + b"\0\0"
    time = struct.pack("<HBBBBBxIhBx", 2026, 1, 1, 0, 0, 0, 0, 0, 0)
    head = HEADER.pack(0x55AA, 0x3F, 0, attributes, 0, time, 0, len(name), len(data), guid.bytes_le)
    return (head + name + data).ljust((len(head + name + data) + 3) & ~3, b"\xff")


def signature_list(path):
    with open(path, "rb") as file:
        der = file.read()
    return X509.bytes_le + struct.pack("<III", 28 + 16 + len(der), 0, 16 + len(der)) + OWNER.bytes_le + der


def node(kind, subtype, data):
    return struct.pack("<BBH", kind, subtype, 4 + len(data)) + data


def boot_option(name, path, options=""):
    path += node(0x7F, 0xFF, b"")
    text = (name + "\0").encode("utf-16-le")
    return struct.pack("<IH", 1, len(path)) + text + path + options.encode("utf-16-le")


def disk_path():
    disk = struct.pack("<IQQ16sBB", 1, FIRST, SECTORS, PARTITION.bytes_le, 2, 2)
    return node(4, 1, disk) + node(4, 4, "\\EFI\\anechoic\\anechoic.efi\0".encode("utf-16-le"))


def end_of(store, at):
    while store[at : at + 2] == b"\xaa\x55":
        fields = HEADER.unpack_from(store, at)
        at = (at + HEADER.size + fields[7] + fields[8] + 3) & ~3
    return at


parser = argparse.ArgumentParser()
parser.add_argument("input")
parser.add_argument("output")
parser.add_argument("--owner")
parser.add_argument("--mok")
parser.add_argument("--boot")
parser.add_argument("--entry")
parser.add_argument("--whole", action="store_true")
args = parser.parse_args()
with open(args.input, "rb") as file:
    store = bytearray(file.read())
added = b""
if args.owner:
    keys = signature_list(args.owner)
    secure = NON_VOLATILE | BOOT | RUNTIME | TIMED
    added += variable("PK", GLOBAL, secure, keys) + variable("KEK", GLOBAL, secure, keys)
    added += variable("db", SECURITY, secure, keys)
if args.mok:
    added += variable("MokList", SHIM, NON_VOLATILE | BOOT, signature_list(args.mok))
option = None
if args.boot is not None:
    option = boot_option("network", node(3, 24, args.boot.encode()))
if args.entry:
    option = boot_option("anechoic", disk_path(), args.entry)
    if args.whole:
        option = boot_option("anechoic", disk_path()) + option
if option:
    every = NON_VOLATILE | BOOT | RUNTIME
    added += variable("Boot0099", GLOBAL, every, option)
    added += variable("BootOrder", GLOBAL, every, struct.pack("<H", 0x99))
(volume_header,) = struct.unpack_from("<H", store, 48)  # EFI_FIRMWARE_VOLUME_HEADER.HeaderLength
at = end_of(store, volume_header + 28)
if store[at : at + len(added)] != b"\xff" * len(added):
    raise SystemExit("the store's free space is not where it was expected")
store[at : at + len(added)] = added
with open(args.output, "wb") as file:
    file.write(store)
