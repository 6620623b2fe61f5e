/* SPDX-License-Identifier: MIT */
/* The parts of a comparison as text, and their common functions. */
#ifndef REPORT_COMPARE_COMPARE_PARTS_H
#define REPORT_COMPARE_COMPARE_PARTS_H

#include "linux/report/compare/compare.h"
#include "linux/report/compare/effects.h"

/* The letter that names a set: SETS_MOST is the alphabet. */
char set_letter(size_t set);

/* Returns true if times of s and of the first set may be compared: EMULATED ones mean nothing. */
bool costs_mean_something(const struct comparison *, size_t s);

/* The mark of the result that forbids it. */
const char *costs_forbidden_by(const struct comparison *, size_t s);

/* Print the cost of set s against the first, in one sentence. */
void print_answer(const struct comparison *, size_t s, FILE *out);

/* The number of sets that fit on the first screen. */
size_t sets_on_screen(const struct comparison *);

/* Print one line for each probe, then the rows that differ most: `lines` lines at most. */
void print_differing(const struct comparison *, size_t lines, FILE *out);

/* Print every row that two sets have, in tables of a probe each. */
void print_tables(const struct comparison *, FILE *out);

/* Groups of rows that people have words for, for the sentence on two sets. */

#define ANSWER_GROUPS_MOST 48

#define CLOCK_KIND "core clock" /* kind of the group that holds the clocks, not rows */

/*
 * Make groups of the rows that both sets have: the core clock; latency by page size and level;
 * latency with the largest pages of each set, if they have no large ones in common; bandwidth by
 * level; misses in parallel; branches; arithmetic; calls of the system. If there are none but the
 * clock, each probe is a group. The verdicts hold for all groups together (groups_judge). Returns
 * how many.
 */
size_t answer_groups(const struct comparison *, size_t s,
	struct effect_group out[ANSWER_GROUPS_MOST]);

#endif
