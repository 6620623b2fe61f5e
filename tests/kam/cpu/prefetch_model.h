/* SPDX-License-Identifier: MIT */
/* A stream prefetcher at L2, within a 4 KiB page, and one that fetches the other line of a pair. */
#ifndef TESTS_KAM_CPU_PREFETCH_MODEL_H
#define TESTS_KAM_CPU_PREFETCH_MODEL_H

#include "tests/kam/cpu/memory_system.h"

/* L1 missed on a line at cycle t, which was found at level `from` (levels: memory). */
void prefetch_on_miss(struct memory *, uint64_t line, unsigned from, uint64_t t);
/* Brings a line into L2 (memory_system.c). */
void memory_prefetch(struct memory *, uint64_t line, uint64_t t);

#endif
