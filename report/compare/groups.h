/* SPDX-License-Identifier: MIT */
/* Rows taken together: what a set costs against the first one in a probe, or in "L2 latency". */
#ifndef REPORT_COMPARE_GROUPS_H
#define REPORT_COMPARE_GROUPS_H

#include "report/compare/compare.h"

#define GROUP_NAME 112

/* Slowdowns as logarithms: above 0 the set is slower than the first. */
struct group {
	char level[8];             /* "L2"; "": all */
	char kind[24];             /* "latency", or the probe */
	char pages[64];            /* "2M pages", "4K pages instead of 2M"; "": any */
	bool cycles;               /* every row is compared in core cycles */
	size_t rows;               /* compared */
	size_t verdicts[VERDICTS]; /* of them */
	double size, low, high;    /* mean over the rows, its 95 % interval; NAN: no rows */
	double p;                  /* of so large a size where there is no difference; NAN */
	enum verdict verdict;      /* of the mean: same, slower, faster, unknown */
	double runs; /* a side that would tell, with VERDICT_UNKNOWN; NAN: more than RUNS_MOST */
	const struct compared *worst; /* the row furthest from no effect that differs; or NULL */
	double worst_slower;
};

/* "L2 latency with 2M pages" */
void group_name(const struct group *, char out[GROUP_NAME]);

/* The rows of one group as they are added, summed up run by run. */
struct sums {
	double *run; /* [runs] sum over the rows of the run's slowdown, a logarithm */
	size_t runs, rows;
	double assumed, squares; /* sums: deviation between runs, variance of medians */
};

struct gathering {
	const struct comparison *c;
	size_t set;
	struct sums sums[2]; /* of the first set, of this one */
	struct group *group;
};

/* Begins a group of set s that has no row yet; its names stay as they are. */
struct gathering gather(const struct comparison *, size_t s, struct group *);
/* One more row of the first set, and what it is compared with, and how. */
void gather_row(struct gathering *, const struct pooled *base, const struct cell *);
/* Fills the group's size, interval and p, and frees what was summed; the verdict is not set. */
void gathered(struct gathering *);

/*
 * Verdicts of n groups: same where the interval lies within the margin; slower or faster where p
 * passes FALSE_MOST over all n (effects.h); else unknown.
 */
void groups_judge(const struct comparison *, struct group *, size_t n);

/*
 * One group for each probe that both sets have, in the order of the rows, into out[most]. Returns
 * how many.
 */
size_t groups_of_probes(const struct comparison *, size_t s, struct group *out, size_t most);

#endif
