/* SPDX-License-Identifier: MIT */
/* Values from the translations of one page size with two levels of TLB. */
#ifndef PROBES_TLB_SECOND_LEVEL_H
#define PROBES_TLB_SECOND_LEVEL_H

#include "engine/find.h"

/* Entries of the two levels; core cycles of a hit in the second one and of a walk. */
struct found_levels {
	struct estimate first, second, hit, walk;
};

/* Costs of n pages: all rows, and without the points that cannot be costs. */
struct costs {
	struct curve all, usable;
};

/* A count that the level may hold is measured at so many moments. */
#define TLB_MOMENTS 5

/*
 * Returns true if the pages of point i are too many for a second level in which a hit costs `hit`
 * core cycles: most needed a walk whenever they were measured. If others take a part all the time,
 * or replacement is random, costs rise from fewer pages on.
 */
bool tlb_too_many(const struct costs *, unsigned i, double hit);

/*
 * Returns the point whose pages show most entries at one moment, if these are more than `least`,
 * what a second moment shows; the curve's number of points: none is.
 */
unsigned tlb_shown_once(const struct costs *, double least, double hit);

/*
 * Reads of a curve of core cycles over pages what its second level shows, whose plateau is number
 * `at` of the staircase: second, hit and walk. README.md.
 */
void tlb_second_level(struct reader *, const struct costs *, const struct staircase *, unsigned at,
	struct found_levels *);

#endif
