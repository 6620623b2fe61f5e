/* SPDX-License-Identifier: MIT */
/* What the translations of one page size show, where two levels of a TLB answer them. */
#ifndef PROBES_TLB_SECOND_LEVEL_H
#define PROBES_TLB_SECOND_LEVEL_H

#include "engine/find.h"

/* Entries of the two levels; core cycles of a hit in the second one and of a walk. */
struct found_levels {
	struct estimate first, second, hit, walk;
};

/*
 * Reads of a curve of core cycles over pages what its second level shows, whose plateau is number
 * `at` of the staircase: second, hit and walk. docs/method.md, "tlb".
 */
void tlb_second_level(struct bench *, const struct curve *, const struct staircase *, unsigned at,
	struct found_levels *);

/* Of a level with so many entries: smaller ones are not shared by threads of a core. */
#define TLB_SHARED_FROM 512
/* The count that ends one is measured at so many moments. */
#define TLB_MOMENTS 5

/*
 * Whether something else takes entries by turns: a count cost more at some moment, or in some
 * samples, than it or a larger one did at another, by a level's factor. Of a curve by the medians.
 */
bool tlb_by_turns(const struct curve *);
/*
 * Makes each cost there the least that the count or any larger one had at any moment, if a second
 * one confirms it. What others take only adds to a cost, and what held so many entries could have
 * held fewer.
 */
void tlb_least(struct curve *);

/* Whether the count that ends a level was measured at all moments. */
bool tlb_ends_at_moments(const struct curve *, const struct stair *level);

#endif
