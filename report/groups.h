/* SPDX-License-Identifier: MIT */
/* Rows taken together: what a set costs against the first one in a subject, "L2 latency". */
#ifndef REPORT_GROUPS_H
#define REPORT_GROUPS_H

#include "report/compare.h"

#define GROUP_NAME 48

/* Slowdowns as logarithms: above 0 the set is slower than the first. */
struct group {
	char name[GROUP_NAME];
	size_t rows;                  /* compared */
	size_t verdicts[VERDICTS];    /* of them */
	double size, low, high;       /* mean over the rows, its 95 % interval; NAN: no rows */
	enum verdict verdict;         /* of the mean: same, slower, faster, unknown */
	const struct compared *worst; /* the row furthest from no effect that differs; or NULL */
	double worst_slower;
};

/*
 * Subjects that a sentence can name, in its order, into out[most]: latency by level and page size,
 * bandwidth by level, branches, arithmetic. Only those that both sets have. Returns how many.
 */
size_t groups_of_subjects(const struct comparison *, size_t s, struct group *out, size_t most);

/* One group for each probe that both sets have, in the order of the rows. */
size_t groups_of_probes(const struct comparison *, size_t s, struct group *out, size_t most);

#endif
