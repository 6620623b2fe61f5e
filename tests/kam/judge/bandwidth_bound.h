/* SPDX-License-Identifier: MIT */
/* Upper bounds of a simulated machine: bytes per core cycle of streams, and misses in parallel. */
#ifndef TESTS_KAM_JUDGE_BANDWIDTH_BOUND_H
#define TESTS_KAM_JUDGE_BANDWIDTH_BOUND_H

#include "tests/kam/cpu/cpu.h"

enum stream_op { STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_OPS };

/* From a level (0: L1), or from memory: cpu_levels(). A copy counts what it reads and writes. */
double bandwidth_bound(const struct cpu *, enum stream_op, unsigned from);
/* The name of its line in the summary; level 3: memory. */
const char *bandwidth_name(enum stream_op, unsigned level);
/*
 * The speed-up of independent misses to memory over one at a time, where each waits `translated`
 * cycles more, holding nothing.
 */
double parallel_misses_bound(const struct cpu *, double translated);

#endif
