/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "tests/kam/judge/atomics_bound.h"
#include "tests/kam/judge/cores_bound.h"

#define TURN 6.0 /* instructions: four additions, a count and a jump */
#define FOUR 4.0

double plain_add_cycles(const struct cpu *c)
{
	double whole = c->forwarding.whole ? (double)c->forwarding.whole / 10 : (double)c->forward;
	double forwarded = c->forwarding.renames ? (double)c->forwarding.renamed / 10 : whole;

	return fmax(forwarded + 1, ceil(TURN / (double)c->width) / FOUR);
}

/* The nearest or the farthest two of the first n cores. */
static double transfer(const struct cpu *c, unsigned n, bool farthest)
{
	double found = NAN;

	for (unsigned a = 0; a < n; a++)
		for (unsigned b = a + 1; b < n; b++) {
			double cycles = transfer_cycles(c, a, b);

			found = farthest ? fmax(found, cycles) : fmin(found, cycles);
		}
	return found;
}

double shared_least(const struct cpu *c, unsigned n, double cycles)
{
	double way = transfer(c, n, false);

	return fmax(n * way, way + cycles - (double)c->level[0].latency);
}

double shared_most(const struct cpu *c, unsigned n, double cycles)
{
	double way = transfer(c, n, true) + (double)(c->home ? c->home_cost : 0);

	return fmax(n * way, way + cycles);
}
