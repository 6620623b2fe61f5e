/* SPDX-License-Identifier: MIT */
/* What a sentence can say of two sets: groups of rows that people have words for. */
#ifndef REPORT_COMPARE_COMPARE_ANSWER_H
#define REPORT_COMPARE_COMPARE_ANSWER_H

#include "report/compare/effects.h"

#define ANSWER_GROUPS_MOST 48

#define CLOCK_KIND "core clock" /* the kind of the group that is no rows but the clocks */

/*
 * What both sets have of: the core clock; latency by page size and level; latency with the largest
 * pages that each has, where they have no large ones in common; bandwidth by level; misses in
 * parallel; branches; arithmetic; calls of the system. Without any of them but the clock, each
 * probe is a subject. The verdicts are of all of them together (groups_judge). Returns how many.
 */
size_t answer_groups(const struct comparison *, size_t s, struct group out[ANSWER_GROUPS_MOST]);

#endif
