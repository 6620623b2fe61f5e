#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvram.py VARS.fd [DIR]: the variables of OVMF's non-volatile memory, one a line: name, GUID, attributes, data in hex;
or a file each in DIR, as Linux's efivarfs shows them.

The layout is EDK2's, MdeModulePkg/Include/Guid/VariableFormat.h, with authenticated variables.
"""
import os
import struct
import sys
import uuid

HEADER = struct.Struct("<HBBIQ16sIII16s")
ADDED = 0x3F

with open(sys.argv[1], "rb") as file:
    flash = file.read()
at = struct.unpack_from("<H", flash, 0x30)[0] + 28  # after the headers of the volume and of the store
lines = []
while flash[at:at + 2] == b"\xaa\x55":
    _, state, _, attributes, _, _, _, name_bytes, data_bytes, guid = HEADER.unpack_from(flash, at)
    at += HEADER.size
    name = flash[at:at + name_bytes].decode("utf-16-le").rstrip("\0")
    data = flash[at + name_bytes:at + name_bytes + data_bytes]
    if state == ADDED:
        lines.append(f"{name} {uuid.UUID(bytes_le=guid)} {attributes:x} {data.hex()}")
        if len(sys.argv) > 2:
            os.makedirs(sys.argv[2], exist_ok=True)
            with open(f"{sys.argv[2]}/{name}-{uuid.UUID(bytes_le=guid)}", "wb") as file:
                file.write(struct.pack("<I", attributes) + data)
    at = (at + name_bytes + data_bytes + 3) & ~3
if len(sys.argv) == 2:
    print("\n".join(sorted(lines)))
