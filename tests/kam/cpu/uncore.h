/* SPDX-License-Identifier: MIT */
/*
 * The parts that a processor's cores share: memory, and the last cache if there are three levels.
 */
#ifndef TESTS_KAM_CPU_UNCORE_H
#define TESTS_KAM_CPU_UNCORE_H

#include <stdint.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/dram.h"
#include "tests/kam/cpu/reservations.h"

struct chip;

struct uncore {
	const struct cpu *cpu;
	struct cache last;           /* of cpu_private_levels() caches before it; or unused */
	struct reservations channel; /* memory to the last cache; a node's is its first uncore's */
	struct dram dram;            /* behind it */
	struct chip *chip;           /* the other uncores; NULL: there are none */
	unsigned domain, node;       /* its number; where it is */
};

/* Returns the number of levels, from L1 on, that belong to one core alone. */
unsigned cpu_private_levels(const struct cpu *);
/* A cache as the machine has it at a level, 0: L1. */
void level_init(struct cache *, const struct cpu *, unsigned level);
/* *now: nothing is asked of it in cycles before; never decreases. */
void uncore_init(struct uncore *, const struct cpu *, const uint64_t *now);
void uncore_free(struct uncore *);
/*
 * Books memory's channel for this line from cycle t on, and the link where its memory is on another
 * node; returns the cycle at which that begins.
 */
uint64_t uncore_channel(struct uncore *, uint64_t line, uint64_t t);
/* Cycles from a load to its data where they come from memory, but for its refresh. */
uint64_t uncore_latency(struct uncore *, uint64_t line);

#endif
