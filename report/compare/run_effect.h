/* SPDX-License-Identifier: MIT */
/*
 * The difference of two means over runs, and how well it is known. The run is the unit (Kalibera
 * and Jones, "Rigorous benchmarking in reasonable time", 2013): samples of one run share what the
 * run drew by lot, so more of them do not say more of the next run.
 */
#ifndef REPORT_COMPARE_RUN_EFFECT_H
#define REPORT_COMPARE_RUN_EFFECT_H

#include <stdbool.h>
#include <stddef.h>

#include "report/compare/variance.h"

/* One set's runs, each a value: a logarithm, or a part. */
struct side {
	double runs, mean;
	double own;      /* variance between the runs; NAN: a single one */
	double expected; /* variance of one run: the assumed one and that of its median */
	double part_df;  /* degrees of freedom that `expected` is known with */
};

/* What all rows of a set say of the variance of the next one. */
struct lot {
	struct variance prior;
	double df; /* of all rows together */
};

struct effect {
	double size, error; /* difference of the means, and its standard error */
	double df, p;       /* Student's: p of so large a size where there is no difference */
};

/* n >= 1 runs, and what is assumed and known of the variance of one, see run_variance. */
struct side side_of_values(const double *values, size_t n, struct variance of_one);

/*
 * Variance of one run: what repeated runs are assumed to differ by (standard deviation), which is
 * hardly known, and the error of its median.
 */
struct variance run_variance(double assumed, double median_error);

/*
 * By Welch's degrees of freedom; but of two sides with as many runs, neither of which has a prior,
 * with one variance for both, which then is as good and loses no degree of freedom.
 */
struct effect effect_of(const struct side side[2], const struct lot lot[2]);

/*
 * Where a side has a single run, nothing is known of how far its runs lie apart but by how far the
 * rows of the two sides do: most rows are taken to be equal. n effects of such rows say by what
 * factor the variance of one is wrong, and how heavy the tail of such factors is (variance.h).
 */
struct variance effect_scale(const struct effect *, size_t n);

/*
 * The effect by that scale: more or less sure, and Student's with the scale's tail. `most`: above
 * it, and above what was assumed, the scale raises no error: if all rows differ by more, that is
 * not chance.
 */
void effect_rescale(struct effect *, struct variance scale, double most);

/* Takes that error, and the normal distribution, if by them so large a size is less probable. */
void effect_bound(struct effect *, double error);

/*
 * Runs a side with which the interval would lie within the margin (a logarithm) or away from no
 * effect, if the effect is as large as it seems; NAN: more than RUNS_MOST.
 */
double effect_runs_wanted(const struct effect *, const struct side side[2], double margin);

#define RUNS_LEAST 3 /* two runs hardly know how far they lie apart */
#define RUNS_MOST  50

/* Half of the 95 % interval. */
double effect_half(const struct effect *);

#endif
