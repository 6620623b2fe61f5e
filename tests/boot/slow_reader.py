#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""slow_reader.py PIPE BYTES: copies the pipe to standard output, at most that many bytes a second."""
import fcntl
import sys
import time

with open(sys.argv[1], "rb", buffering=0) as pipe:
    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)  # the least that Linux has
    part = max(1, int(sys.argv[2]) // 20)
    while True:
        data = pipe.read(part)
        if not data:
            break
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        time.sleep(0.05)
