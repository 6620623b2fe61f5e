/* SPDX-License-Identifier: MIT */
/*
 * Bounds of a simulated machine: bytes per core cycle of streams out of L1, and misses in parallel.
 */
#ifndef TESTS_KAM_JUDGE_BANDWIDTH_BOUND_H
#define TESTS_KAM_JUDGE_BANDWIDTH_BOUND_H

#include "probes/loops/loops.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/judge/walk_cost.h"

enum stream_op { STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_OPS };

/*
 * Returns the bytes per core cycle of a stream through `bytes` in L1, both halves of a copy
 * together, with accesses of `width` bytes. A copy counts the bytes that it reads and those that it
 * writes.
 */
double bandwidth_bound(const struct cpu *, enum stream_op, double bytes, double width);
/* Returns the stream's loop, with accesses of 4, 8 or 16 bytes. */
loop_fn *bandwidth_loop(enum stream_op, unsigned width);
/* Returns the name of the stream's line in the summary; level CPU_LEVELS: memory. */
const char *bandwidth_name(enum stream_op, unsigned level);
/*
 * Returns the speed-up of independent misses to memory over one at a time. Each also waits for its
 * translation, and holds one walker at most; NULL: it waits for none.
 */
double parallel_misses_bound(const struct cpu *, const struct translated *);

#endif
