/* SPDX-License-Identifier: MIT */
/* What the translations of one page size show, where two levels of a TLB answer them. */
#ifndef PROBES_TLB_SECOND_LEVEL_H
#define PROBES_TLB_SECOND_LEVEL_H

#include "engine/find.h"

/* Entries of the two levels; core cycles of a hit in the second one and of a walk. */
struct found_levels {
	struct estimate first, second, hit, walk;
};

/* What n pages cost: all rows, and without the points that cannot be costs. */
struct costs {
	struct curve all, usable;
};

/* A count that the level may hold is measured at so many moments. */
#define TLB_MOMENTS 5

/*
 * Whether the pages of point i are too many for a second level in which a hit costs `hit` core
 * cycles: most were walked for whenever they were measured. Where others take a part all the time,
 * or what is replaced is random, costs rise from fewer pages on.
 */
bool tlb_too_many(const struct costs *, unsigned i, double hit);

/*
 * Reads of a curve of core cycles over pages what its second level shows, whose plateau is number
 * `at` of the staircase: second, hit and walk. docs/method.md, "tlb".
 */
void tlb_second_level(struct reader *, const struct costs *, const struct staircase *, unsigned at,
	struct found_levels *);

#endif
