#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cut_power.py LOG TEXT PROGRAM [ARGUMENT...]: runs the machine, copies its serial line to LOG, and kills it
as soon as TEXT has come. Exit code 1: it ended without, or nothing came for HANG_SECONDS in all.

It waits in the read, not by looking again and again: on a busy host the machine runs on meanwhile."""
import os
import signal
import subprocess
import sys

log, text, command = sys.argv[1], sys.argv[2].encode(), sys.argv[3:]
seen, cut = b"", False
with open(log, "wb") as out, subprocess.Popen(command, stdout=subprocess.PIPE) as vm:
    signal.signal(signal.SIGALRM, lambda *_: vm.kill())
    signal.alarm(int(os.environ.get("HANG_SECONDS", 900)))
    while part := os.read(vm.stdout.fileno(), 65536):
        seen = seen[-len(text):] + part
        if text in seen:
            vm.kill()
            cut = True
        out.write(part)
sys.exit(0 if cut else 1)
