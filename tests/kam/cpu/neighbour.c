/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/neighbour.h"

/* Cycles of a period, or of the part in which it is there. */
static uint64_t cycles(const struct cpu *c, bool there)
{
	uint64_t period = c->hz / 1000000 * c->period_us, part = period / 100 * c->period_share;

	return there ? part : period - part;
}

void neighbour_init(struct memory *m)
{
	m->neighbour_next = m->cpu->period_us ? cycles(m->cpu, false) : UINT64_MAX;
}

static void take(struct memory *m)
{
	const struct cpu *c = m->cpu;
	const uint64_t ways[CPU_LEVELS] = { c->taken_l1, c->taken_l2, c->taken_l3 };
	unsigned i;

	for (i = 0; i < m->levels; i++)
		cache_take(m->level[i], m->neighbour ? ways[i] : 0);
	for (i = 0; i < 2; i++) { /* not the pages of 1 GiB: few have more than some entries */
		cache_take(m->first[i], m->neighbour ? c->taken_dtlb : 0);
		cache_take(m->second[i], m->neighbour ? c->taken_stlb : 0);
	}
}

void neighbour_switch(struct memory *m, uint64_t t)
{
	while (t >= m->neighbour_next) {
		m->neighbour = !m->neighbour;
		m->neighbour_next += cycles(m->cpu, m->neighbour);
	}
	take(m);
}
