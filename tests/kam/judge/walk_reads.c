/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/walk_reads.h"

#define ALL 4 /* tables, for the smallest pages */

/* Whether the entry of the table number `table`, 1 the last one of the smallest pages, is held. */
static bool is_held(const struct cpu *c, unsigned table)
{
	return table == 2 ? c->walks.pde : table == 3 ? c->walks.pdpte : c->walks.pml4e;
}

double walk_reads_cycles(const struct cpu *c, unsigned levels, unsigned reads, unsigned flushed,
	bool upper_lost)
{
	unsigned own = ALL + 1 - levels, read = upper_lost ? levels : reads, i;
	double cycles = (double)c->walk;

	if (!c->walks.read) {
		bool lost = c->upper && (upper_lost || reads > 1);

		return c->walk_loads ? NAN : cycles + (lost ? (double)c->walk_upper : 0);
	}
	while (read < levels && !is_held(c, own + read))
		read++;
	for (i = 0; i < read; i++)
		cycles += (double)c->walks.read +
			(i < flushed ? memory_cycles(c) : (double)c->level[0].latency);
	return cycles;
}
