/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/storeload_bound.h"

#define WIDE 16.0 /* bytes */

/* Eight steps enter with a count and a jump, and one store a cycle goes to L1. */
static double pace(const struct cpu *c)
{
	return fmax(1, ceil((8 * 2 + 2) / (double)c->width) / 8);
}

static double whole(const struct cpu *c)
{
	return c->forwarding.whole ? (double)c->forwarding.whole / 10 : (double)c->forward;
}

double forward_cycles(const struct cpu *c, double store, double load, double offset)
{
	double cycles = whole(c) + (offset > 0 ? (double)c->forwarding.part / 10 : 0);

	if (fmax(store, load) >= WIDE)
		cycles += (double)c->forwarding.wide / 10;
	return fmax(cycles, pace(c));
}

double forward_same_cycles(const struct cpu *c)
{
	return c->forwarding.renames ? fmax((double)c->forwarding.renamed / 10, pace(c))
				     : forward_cycles(c, 8, 8, 0);
}

int forward_fails(const struct cpu *c)
{
	return c->partial || c->forwarding.failed;
}

double forward_fail_cycles(const struct cpu *c, unsigned stores)
{
	return (double)c->partial + (double)c->forwarding.failed / 10 + (double)(stores - 1);
}

double load_page_more(const struct cpu *c)
{
	return (double)(c->split.load_page + (dtlb_2m_entries(c) < 2 ? 2 * c->stlb_latency : 0));
}
