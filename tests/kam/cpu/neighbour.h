/* SPDX-License-Identifier: MIT */
/*
 * Another core, or the other thread of this one, that has some ways of the caches and TLBs for a
 * part of the time: a square wave that begins without it.
 */
#ifndef TESTS_KAM_CPU_NEIGHBOUR_H
#define TESTS_KAM_CPU_NEIGHBOUR_H

#include "tests/kam/cpu/memory_system.h"

void neighbour_init(struct memory *);
void neighbour_switch(struct memory *, uint64_t t);

/* At cycle t: what it takes, it has from then on; what it gives back is empty. */
static inline void neighbour_at(struct memory *m, uint64_t t)
{
	if (t >= m->neighbour_next)
		neighbour_switch(m, t);
}

#endif
