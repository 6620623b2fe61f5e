/* SPDX-License-Identifier: MIT */
/*
 * Another core, or the other thread of this one, that has some ways of the caches and TLBs for a
 * part of the time: a square wave that begins without it. And others that bring lines of their own
 * to the last cache at any time.
 */
#ifndef TESTS_KAM_CPU_NEIGHBOUR_H
#define TESTS_KAM_CPU_NEIGHBOUR_H

#include "tests/kam/cpu/memory_system.h"

/* No line of this core's memory, or of a table, has such a number. */
#define NEIGHBOUR_LINES (1ull << 60)

void neighbour_init(struct memory *);
void neighbour_switch(struct memory *, uint64_t t);

/* At cycle t: what it takes, it has from then on; what it gives back is empty. */
static inline void neighbour_at(struct memory *m, uint64_t t)
{
	if (t >= m->neighbour_next)
		neighbour_switch(m, t);
}

/* This core used the last cache: others may bring a line now. Returns true if so, and which. */
static inline bool neighbour_brings(struct memory *m, uint64_t *line)
{
	if (m->others_due < 100)
		return false;
	m->others_due -= 100;
	m->others_random = m->others_random * 6364136223846793005ull + 1442695040888963407ull;
	*line = NEIGHBOUR_LINES | m->others_random >> 16;
	return true;
}

#endif
