/* SPDX-License-Identifier: MIT */
/* In what the circumstances of sets of runs differ. */
#ifndef REPORT_ENVIRONMENT_H
#define REPORT_ENVIRONMENT_H

#include "report/sets.h"

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

void environment_compare(struct environment *, const struct sets *);
void environment_free(struct environment *, const struct sets *);

#endif
