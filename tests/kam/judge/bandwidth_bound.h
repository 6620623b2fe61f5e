/* SPDX-License-Identifier: MIT */
/*
 * Of a simulated machine: bytes per core cycle of streams out of L1, misses in parallel, and what
 * translation adds.
 */
#ifndef TESTS_KAM_JUDGE_BANDWIDTH_BOUND_H
#define TESTS_KAM_JUDGE_BANDWIDTH_BOUND_H

#include "tests/kam/cpu/cpu.h"

enum stream_op { STREAM_READ, STREAM_WRITE, STREAM_COPY, STREAM_OPS };

/*
 * Out of `bytes` that lie in L1, both halves of a copy together, with accesses of `width` bytes. A
 * copy counts what it reads and writes.
 */
double bandwidth_bound(const struct cpu *, enum stream_op, double bytes, double width);
/* The name of its line in the summary; level CPU_LEVELS: memory. */
const char *bandwidth_name(enum stream_op, unsigned level);
/*
 * The speed-up of independent misses to memory over one at a time, where each waits `translated`
 * cycles more, holding nothing.
 */
double parallel_misses_bound(const struct cpu *, double translated);
/* Mean cycles for translation with 2 MiB pages: those beyond the first TLB hit in the second. */
double translation_cycles(const struct cpu *, double bytes);

#endif
