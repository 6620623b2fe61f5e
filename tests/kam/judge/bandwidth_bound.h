/* SPDX-License-Identifier: MIT */
/* Of a simulated machine: bytes per core cycle of streams out of L1, and misses in parallel. */
#ifndef TESTS_KAM_JUDGE_BANDWIDTH_BOUND_H
#define TESTS_KAM_JUDGE_BANDWIDTH_BOUND_H

#include "probes/loops/loops.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/judge/walk_cost.h"

enum stream_op { STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_OPS };

/*
 * Out of `bytes` that lie in L1, both halves of a copy together, with accesses of `width` bytes. A
 * copy counts what it reads and writes.
 */
double bandwidth_bound(const struct cpu *, enum stream_op, double bytes, double width);
/* The loop that does so, with accesses of 4, 8 or 16 bytes. */
loop_fn *bandwidth_loop(enum stream_op, unsigned width);
/* The name of its line in the summary; level CPU_LEVELS: memory. */
const char *bandwidth_name(enum stream_op, unsigned level);
/*
 * The speed-up of independent misses to memory over one at a time, where each also waits for its
 * translation, holding a walker at most. NULL: for none.
 */
double parallel_misses_bound(const struct cpu *, const struct translated *);

#endif
