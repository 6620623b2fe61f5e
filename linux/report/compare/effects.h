/* SPDX-License-Identifier: MIT */
/*
 * The differences between rows of two sets, each row by itself and in groups. The run is the unit:
 * docs/method.md, "Comparing".
 *
 * A run gives one value of a row: the logarithm of its median; for a row without a true zero, its
 * median as a part of the reference of the difference. The effect is the difference of the sets'
 * means. A set's variance of one run is estimated from its runs, and drawn towards that of all its
 * rows (variance_prior); with a single run it is the error of its median and the assumed difference
 * between repeated runs (NOISE_ASSUMED), never zero. The interval and p are Student's, by Welch's
 * degrees of freedom.
 */
#ifndef REPORT_COMPARE_EFFECTS_H
#define REPORT_COMPARE_EFFECTS_H

#include "lib/noise_assumed.h"
#include "linux/report/compare/compare.h"
#include "linux/report/compare/sets.h"

/*
 * Fill the cells of set s and its lots; row, cycles and exact of the cells are known:
 * - same: the 95 % interval lies within the margin around no effect;
 * - slower, faster, more, less: p passes FALSE_MOST over all rows of the set (Benjamini and
 *   Hochberg 1995);
 * - unknown: neither; or the clock or an edge may have caused the difference.
 */
void effects_find(struct comparison *, size_t s);

#define FALSE_MOST 0.01 /* expected part of the rows called different that are not */

/*
 * Two values differ by less than this many of their deviations in 95 % of the cases: 1.96 sqrt(2).
 */
#define NOISE_DEVIATIONS (1.96 * 1.4142)

/* Groups of rows: the cost of a set against the first one in a probe, or in "L2 latency". */

#define GROUP_NAME (8 + 24 + 64 + 16) /* bytes: level, kind, pages, and words between them */

/* Slowdowns as logarithms: above 0 the set is slower than the first. */
struct effect_group {
	char level[8];                /* "L2"; "": all */
	char kind[24];                /* "latency", or the probe */
	char pages[64];               /* "2M pages", "4K pages instead of 2M"; "": any */
	bool cycles;                  /* every row is compared in core cycles */
	size_t rows;                  /* compared */
	size_t verdicts[VERDICTS];    /* verdicts on these rows */
	double size, low, high;       /* mean over the rows, its 95 % interval; NAN: no rows */
	double p;                     /* of a size this large if there is no difference; NAN */
	enum verdict verdict;         /* of the mean: same, slower, faster, unknown */
	double runs;                  /* runs a side that would decide; NAN: more than RUNS_MOST */
	const struct compared *worst; /* the differing row furthest from no effect; or NULL */
	double worst_slower;
};

/* Write "L2 latency with 2M pages". */
void group_name(const struct effect_group *, char out[GROUP_NAME]);

/* The rows of one group as they are added, summed up run by run. */
struct effect_sums {
	double *run; /* [runs] sum over the rows of the run's slowdown, a logarithm */
	size_t runs, rows;
	double assumed, squares; /* sums: deviation between runs, variance of medians */
};

struct gathering {
	const struct comparison *c;
	size_t set;
	struct effect_sums sums[2]; /* of the first set, of this one */
	struct effect_group *group;
};

/* Begin a group of set s without rows; its names stay as they are. */
struct gathering gather(const struct comparison *, size_t s, struct effect_group *);
/* Add a row of the first set, and the row that it is compared with, and how. */
void gather_row(struct gathering *, const struct pooled *base, const struct cell *);
/* Fill the group's size, interval and p, and free the sums; the verdict is not set. */
void gathered(struct gathering *);

/*
 * Set the verdicts of n groups: same if the interval lies within the margin; slower or faster if p
 * passes FALSE_MOST over all n; else unknown.
 */
void groups_judge(const struct comparison *, struct effect_group *, size_t n);

/*
 * Make one group for each probe that both sets have, in the order of the rows, in out[most].
 * Returns how many.
 */
size_t groups_of_probes(const struct comparison *, size_t s, struct effect_group *out, size_t most);

#endif
