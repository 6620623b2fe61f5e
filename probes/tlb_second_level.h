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

#endif
