#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""http_server.py ADDRESS PORT DIR [--misbehave HOW NAME]: GET and PUT of the files of a directory.

HOW, for every file whose name has NAME in it: endless (a body without end), headers (a header without end),
huge (says 100 MB), silent (no answer), full (507), refuse (403), kept (PUT is taken; GET is refused).
"""
import argparse
import http.server
import os
import time


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def how(self):
        return args.misbehave[0] if args.misbehave and args.misbehave[1] in self.path else ""

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def flood(self, data):
        while True:
            self.wfile.write(data)

    def do_GET(self):
        how = self.how()
        if how == "silent":
            time.sleep(1000)
        elif how == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
            self.flood(b"x" * 1000)
        elif how in ("endless", "huge"):
            self.send_response(200)
            if how == "huge":
                self.send_header("Content-Length", "100000000")
            self.end_headers()
            self.flood(b"#" * 1000)
        elif how in ("refuse", "kept"):
            self.answer(403)
        else:
            super().do_GET()

    def do_PUT(self):
        how = self.how()
        if how == "silent":
            time.sleep(1000)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if how in ("full", "refuse"):
            self.answer(507 if how == "full" else 403)
            return
        with open(os.path.join(args.dir, os.path.basename(self.path)), "wb") as file:
            file.write(body)
        self.answer(201)


parser = argparse.ArgumentParser()
parser.add_argument("address")
parser.add_argument("port", type=int)
parser.add_argument("dir")
parser.add_argument("--misbehave", nargs=2)
args = parser.parse_args()
os.chdir(args.dir)
http.server.ThreadingHTTPServer((args.address, args.port), Handler).serve_forever()
