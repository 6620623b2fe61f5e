/* SPDX-License-Identifier: MIT */
/* The parts of a comparison as text, and what they share. */
#ifndef REPORT_COMPARE_PARTS_H
#define REPORT_COMPARE_PARTS_H

#include "report/compare.h"

/* By which a set is called: SETS_MOST is the alphabet. */
char set_letter(size_t set);

/* The width of the column of rows: that of the longest label of at most 64 characters. */
int label_width(const struct comparison *);

/* What set s costs against the first, in one sentence. */
void print_answer(const struct comparison *, size_t s, FILE *out);

/* Cards side by side, the noise by set, one line for each probe. */
void print_summary(const struct comparison *, FILE *out);

void print_disturbances(const struct comparison *, FILE *out);

/* What set s costs against the first. */
void print_verdict(const struct comparison *, size_t s, FILE *out);

#endif
