/* SPDX-License-Identifier: MIT */
/* What streams can move on a stated machine, in bytes per core cycle, and misses at once. */
#ifndef TESTS_KAM_CPU_RATES_H
#define TESTS_KAM_CPU_RATES_H

#include "tests/kam/cpu/cpu.h"

enum rate_kind { RATE_READ, RATE_WRITE, RATE_COPY, RATES };

/* From a level (0: L1), or from memory: cpu_levels(). A copy counts what it reads and writes. */
double rates_of(const struct cpu *, enum rate_kind, unsigned from);
/* The name of its line in the summary; level 3: memory. */
const char *rates_name(enum rate_kind, unsigned level);
/*
 * The speed-up of independent misses to memory over one at a time, where each waits `translated`
 * cycles more, holding nothing.
 */
double rates_misses(const struct cpu *, double translated);

#endif
