/* SPDX-License-Identifier: MIT */
/* In what the circumstances of sets of runs differ. */
#ifndef REPORT_COMPARE_ENVIRONMENT_H
#define REPORT_COMPARE_ENVIRONMENT_H

#include "report/compare/sets.h"

/* One difference: what, and the value in each set ("-" where it is not known). */
struct difference {
	char *key;     /* path in the run line: "cpu.microcode" */
	char **values; /* [sets] */
	bool speed;    /* known in every set, and it decides how fast the machine runs */
};

struct environment {
	struct difference *differences; /* those that decide the speed first */
	size_t n, nspeed;               /* in all; of them, how many decide the speed */
	char **warnings; /* what forbids or limits the comparison, for large letters */
	size_t nwarnings;
};

#define DIFFERENCE_WORDS 96

/* The difference in words ("microcode"), else its key. */
void difference_words(const struct difference *, char out[DIFFERENCE_WORDS]);

/* Which rows it touches, of one that decides the speed; else "". */
const char *difference_touches(const struct difference *);

void environment_compare(struct environment *, const struct sets *);
void environment_free(struct environment *, const struct sets *);

#endif
