/* SPDX-License-Identifier: MIT */
/*
 * Prefetchers. At L2: streams, and the other line of a pair. At L1: one that learns the step from
 * one load to the next of the same instruction (Intel's "IP-based stride prefetcher": optimization
 * reference manual, "Data prefetching").
 */
#ifndef TESTS_KAM_CPU_PREFETCH_MODEL_H
#define TESTS_KAM_CPU_PREFETCH_MODEL_H

#include "tests/kam/cpu/memory_system.h"

/* L1 missed on a line at cycle t, which was found at level `from` (levels: memory). */
void prefetch_on_miss(struct memory *, uint64_t line, unsigned from, uint64_t t);
/* The instruction at `load` loads from an address at cycle t, whether or not L1 has it. */
void prefetch_on_load(struct memory *, uint64_t load, uint64_t address, uint64_t t);
/* Brings a line into level `to`, 0 (L1) or 1 (L2), and those behind it (memory_system.c). */
void memory_prefetch(struct memory *, uint64_t line, unsigned to, uint64_t t);

#endif
