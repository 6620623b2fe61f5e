#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tftp_server.py ADDRESS DIR [--misbehave HOW NAME]: a TFTP server (RFC 1350, 2347 to 2349) of one client at a time.

HOW, for every file whose name has NAME in it: endless (it never ends), slow (each packet comes after 3 s),
silent (no answer), deaf (it hears the fourth request of a name), full (the disk is, at its second packet),
refuse (it takes no file, and says why at length).
"""
import argparse
import os
import socket
import struct
import time

READ, WRITE, DATA, ACK, ERROR, OACK = range(1, 7)


def error(code, text):
    return struct.pack(">HH", ERROR, code) + text.encode() + b"\0"


class Transfer:
    def __init__(self, client, how):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((args.address, 0))
        self.socket.settimeout(5)
        self.client, self.how = client, how

    def send(self, packet):
        if self.how == "slow":
            time.sleep(3)
        self.socket.sendto(packet, self.client)

    def exchange(self, packet, opcode, number):
        for _ in range(5):
            self.send(packet)
            try:
                answer, _ = self.socket.recvfrom(65536)
            except socket.timeout:
                continue
            got = struct.unpack(">HH", answer[:4])
            if got == (opcode, number & 0xFFFF):
                return answer[4:]
            if got[0] == ERROR:
                raise ConnectionError
        raise ConnectionError

    def serve_read(self, path, options):
        if not os.path.isfile(path):
            self.send(error(1, "File not found"))
            return
        size, number = int(options.get("blksize", 512)), 1
        known = {"blksize": size, "tsize": os.path.getsize(path)}
        granted = "".join(f"{o}\0{known[o]}\0" for o in options if o in known)
        if granted:
            self.exchange(struct.pack(">H", OACK) + granted.encode(), ACK, 0)
        with open(path, "rb") as file:
            while True:
                block = b"#" * size if self.how == "endless" else file.read(size)
                self.exchange(struct.pack(">HH", DATA, number & 0xFFFF) + block, ACK, number)
                if len(block) < size:
                    return
                number += 1

    def serve_write(self, path):
        if self.how == "refuse":
            self.send(error(2, f"cannot write {os.path.abspath(path)}: Permission denied"))
            return
        data, number, block = b"", 0, b" " * 512
        while len(block) == 512:
            number += 1
            block = self.exchange(struct.pack(">HH", ACK, (number - 1) & 0xFFFF), DATA, number)
            data += block
            if self.how == "full" and number == 2:
                self.send(error(3, "Disk full"))
                return
        with open(path, "wb") as file:
            file.write(data)
        self.send(struct.pack(">HH", ACK, number & 0xFFFF))


def serve(request, client):
    opcode, *_ = struct.unpack(">H", request[:2])
    words = request[2:].decode("latin-1").split("\0")
    name, options = words[0], dict(zip(words[2::2], words[3::2]))
    bad = args.misbehave and args.misbehave[1] in name
    how = args.misbehave[0] if bad else ""
    print("read" if opcode == READ else "write", name, how, flush=True)
    asked[name] = asked.get(name, 0) + 1
    if how == "silent" or how == "deaf" and asked[name] < 4:
        return
    transfer = Transfer(client, how)
    path = os.path.join(args.dir, os.path.basename(name))
    try:
        transfer.serve_read(path, options) if opcode == READ else transfer.serve_write(path)
    except ConnectionError:
        print("given up", name, flush=True)
    transfer.socket.close()


parser = argparse.ArgumentParser()
parser.add_argument("address")
parser.add_argument("dir")
parser.add_argument("--misbehave", nargs=2)
args = parser.parse_args()
asked = {}  # how often, by name
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((args.address, 69))
while True:
    serve(*server.recvfrom(65536))
