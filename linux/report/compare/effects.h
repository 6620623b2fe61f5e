/* SPDX-License-Identifier: MIT */
/*
 * What rows of two sets say of each other, each alone and taken together in groups. The run is the
 * unit: docs/method.md, "Comparing".
 *
 * A run gives one value of a row: the logarithm of its median; of a row without a true zero its
 * median as a part of what it is a difference of. The effect is the difference of the sets' means.
 * A set's variance of one run is taken from its runs, and drawn towards what all its rows have
 * (variance_prior); with a single run it is the error of its median and what repeated runs are
 * assumed to differ by (NOISE_ASSUMED), never zero. The interval and p are Student's, by Welch's
 * degrees of freedom.
 */
#ifndef REPORT_COMPARE_EFFECTS_H
#define REPORT_COMPARE_EFFECTS_H

#include "lib/noise_assumed.h"
#include "linux/report/compare/compare.h"
#include "linux/report/compare/sets.h"

/*
 * Fills the cells of set s and its lots; row, cycles and exact of the cells are known:
 * - same: the 95 % interval lies within the margin around no effect;
 * - slower, faster, more, less: p passes FALSE_MOST over all rows of the set (Benjamini and
 *   Hochberg 1995);
 * - unknown: neither; or what differs may be the clock's or an edge's work.
 */
void effects_find(struct comparison *, size_t s);

#define FALSE_MOST 0.01 /* of the rows called different, so many are not */

/* Two values differ by less than so many of their deviation in 95 % of the cases: 1.96 sqrt(2). */
#define NOISE_DEVIATIONS (1.96 * 1.4142)

/* Rows taken together: what a set costs against the first one in a probe, or in "L2 latency". */

#define GROUP_NAME (8 + 24 + 64 + 16) /* bytes: level, kind, pages, and words between them */

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
 * passes FALSE_MOST over all n; else unknown.
 */
void groups_judge(const struct comparison *, struct group *, size_t n);

/*
 * One group for each probe that both sets have, in the order of the rows, into out[most]. Returns
 * how many.
 */
size_t groups_of_probes(const struct comparison *, size_t s, struct group *out, size_t most);

#endif
