/* SPDX-License-Identifier: MIT */
/* What the cores of a processor share: the last cache, where there are three levels, and memory. */
#ifndef TESTS_KAM_CPU_UNCORE_H
#define TESTS_KAM_CPU_UNCORE_H

#include <stdint.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/reservations.h"

struct uncore {
	const struct cpu *cpu;
	struct cache last;           /* of cpu_private_levels() caches before it; or unused */
	struct reservations channel; /* memory to the last cache */
};

/* How many levels, from L1 on, belong to one core alone. */
unsigned cpu_private_levels(const struct cpu *);
/* *now: nothing is asked of it in cycles before; never decreases. */
void uncore_init(struct uncore *, const struct cpu *, const uint64_t *now);
void uncore_free(struct uncore *);
/* Books memory's channel for one line from cycle t on; returns the cycle at which that begins. */
uint64_t uncore_channel(struct uncore *, uint64_t t);

#endif
