/* SPDX-License-Identifier: MIT */
/*
 * What `tlb` shows of a page walk, in core cycles: the walk itself and, where walks load the
 * entries of tables through the caches, what that makes of the chases of spread pages and of the
 * control.
 */
#ifndef TESTS_KAM_JUDGE_WALK_COST_H
#define TESTS_KAM_JUDGE_WALK_COST_H

#include "tests/kam/cpu/cpu.h"

#define UPPER_PAGES   8192 /* the most pages of variant `upper`; also half as many */
#define UPPER_REGIONS 128  /* and the fewest regions: an upper cache of fewer entries holds none */

/*
 * Where the edge of a cache lies between, more than one value; of what lies between the two, the
 * widest gap in which no number of pages would lie. below = above: there is none, or chance decides
 * how much of a chase misses.
 */
struct walk_cost {
	double low, high, below, above;
};

/* Upper tables cached, at a count of pages of from..to. arena: bytes that could be measured. */
struct walk_cost walk_cost(const struct cpu *, double arena, double page, double from, double to);
/* What it adds where each walk needs another entry of the upper table. */
struct walk_cost upper_cost(const struct cpu *);
/* Whether pages are used one of a group: no two share an entry, or a line of the table. */
int pages_apart(const struct cpu *, double arena, double page);

/* Of loads all over a buffer whose lines miss every cache, in the mean. */
struct translated {
	double cycles; /* of a load, for its translation */
	double walked; /* the share of loads whose page no TLB has */
	double walk;   /* cycles of such a walk */
	double held;   /* cycles of a miss buffer of L1, of a load, for what its walk loads */
};

/* In pages of 4 KiB, or of 2 MiB. */
struct translated translated(const struct cpu *, double bytes, double page);

static inline double small_page_cycles(const struct cpu *c, double bytes)
{
	return translated(c, bytes, 4 << 10).cycles;
}

static inline double translation_cycles(const struct cpu *c, double bytes)
{
	return translated(c, bytes, 2 << 20).cycles;
}

/*
 * The share of loads of a random cycle through so many bytes, more than a level holds, that miss
 * it: all with LRU, else, as with random replacement, the root m of 1 - m = exp(-r m), r times it.
 */
double missing_share(const struct cpu *, unsigned level, double bytes);

#endif
