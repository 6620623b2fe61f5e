/* SPDX-License-Identifier: MIT */
/* The parts of a comparison as text, and what they share. */
#ifndef REPORT_COMPARE_COMPARE_PARTS_H
#define REPORT_COMPARE_COMPARE_PARTS_H

#include "linux/report/compare/compare.h"
#include "linux/report/compare/effects.h"

/* By which a set is called: SETS_MOST is the alphabet. */
char set_letter(size_t set);

/* Whether times of s and of the first set may be compared: EMULATED ones mean nothing. */
bool costs_mean_something(const struct comparison *, size_t s);

/* Where they may not: how the result is marked that forbids it. */
const char *costs_forbidden_by(const struct comparison *, size_t s);

/* What set s costs against the first, in one sentence. */
void print_answer(const struct comparison *, size_t s, FILE *out);

/* How many sets the first screen has room for. */
size_t sets_on_screen(const struct comparison *);

/* One line for each probe, then the rows that differ most: `lines` lines at most. */
void print_differing(const struct comparison *, size_t lines, FILE *out);

/* Every row that two sets have, in tables of a probe each. */
void print_tables(const struct comparison *, FILE *out);

/* What a sentence can say of two sets: groups of rows that people have words for. */

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
