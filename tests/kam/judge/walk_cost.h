/* SPDX-License-Identifier: MIT */
/*
 * The cost of a page walk as `tlb` shows it, in core cycles: the walk itself and, if walks load the
 * entries of tables through the caches, the effect of that on the chases of spread pages and of the
 * control.
 */
#ifndef TESTS_KAM_JUDGE_WALK_COST_H
#define TESTS_KAM_JUDGE_WALK_COST_H

#include "tests/kam/cpu/cpu.h"

#define UPPER_PAGES   8192 /* the most pages of variant `upper`; also half as many */
#define UPPER_REGIONS 128  /* and the fewest regions: an upper cache of fewer entries holds none */

/*
 * The cost is low..high: more than one value if the edge of a cache lies in the range of pages.
 * below..above is the widest gap in it that no number of pages would give. below = above: there is
 * no gap, or chance decides how much of a chase misses.
 */
struct walk_cost {
	double low, high, below, above;
};

/*
 * Returns the cost with the upper tables cached, at from..to pages. arena: bytes that could be
 * measured.
 */
struct walk_cost walk_cost(const struct cpu *, double arena, double page, double from, double to);
/* Returns the cost that is added if each walk needs another entry of the upper table. */
struct walk_cost upper_cost(const struct cpu *);
/*
 * Returns nonzero if one page of each group is used, so that no two share an entry, or a line of
 * the table.
 */
int pages_apart(const struct cpu *, double arena, double page);

/* Means over loads all over a buffer whose lines miss every cache. */
struct translated {
	double cycles; /* of a load, for its translation */
	double walked; /* the share of loads whose page no TLB has */
	double walk;   /* cycles of such a walk */
	double held;   /* cycles of a miss buffer of L1, of a load, for what its walk loads */
};

/* Returns them for pages of 4 KiB, or of 2 MiB. */
struct translated translated(const struct cpu *, double bytes, double page);

/*
 * Returns the bytes that the second level of the TLB holds of a buffer in pages of 2 MiB. Where a
 * host backs a part of them with pages of 4 KiB, as if it did so with all.
 */
double walk_reach(const struct cpu *);

static inline double small_page_cycles(const struct cpu *c, double bytes)
{
	return translated(c, bytes, 4 << 10).cycles;
}

static inline double translation_cycles(const struct cpu *c, double bytes)
{
	return translated(c, bytes, 2 << 20).cycles;
}

/*
 * Returns the share of loads that miss a level, of a random cycle through more bytes than it holds
 * (r times as many). With LRU all miss; else, as with random replacement, m is the root of 1 - m =
 * exp(-r m).
 */
double missing_share(const struct cpu *, unsigned level, double bytes);

#endif
