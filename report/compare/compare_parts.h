/* SPDX-License-Identifier: MIT */
/* The parts of a comparison as text, and what they share. */
#ifndef REPORT_COMPARE_COMPARE_PARTS_H
#define REPORT_COMPARE_COMPARE_PARTS_H

#include "report/compare/compare.h"

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

#endif
