/* SPDX-License-Identifier: MIT */
/*
 * Statistics of repeated runs: from samples to the error of a median, from runs to a variance, from
 * two sides to an effect and its confidence.
 */
#ifndef REPORT_COMPARE_STATISTICS_H
#define REPORT_COMPARE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Student's distribution, and the derivatives of log gamma that its variances need, to at least
 * nine digits (tests/unit/linux/statistics_test.c). This is our own code because the library that
 * has them (GSL) is under the GPL, and this program's licence is MIT's.
 */

/* t with student_tail(t, df) = tail; 0 < tail < 0.5. */
double student_quantile(double tail, double df);

/*
 * Variances of many rows, each known from few runs. Each row's variance is a factor of its expected
 * variance; the factors of all rows show how far one may lie from the others, and each is drawn
 * towards the others (the empirical Bayes estimate of Smyth, "Linear models and empirical Bayes
 * methods for assessing differential expression", 2004, sections 3 and 6.2).
 */

/* A variance divided by the expected one, and its degrees of freedom. */
struct variance {
	double factor, df;
};

#define VARIANCE_ROWS 10 /* fewer rows say nothing about each other */

/*
 * The distribution of the next row's variance by n rows; df 0 with fewer than VARIANCE_ROWS. The
 * spread of the factors is taken one standard error larger: rows that seem alike by chance make p
 * too small.
 */
struct variance variance_prior(const struct variance *rows, size_t n);

/*
 * Standard error of the median of n samples in the order taken, in their unit, by the moving-block
 * bootstrap: blocks of successive samples are drawn together, so that a slow drift is not taken for
 * many independent samples (block length the square root of n, Kuensch 1989). Deterministic: the
 * generator's seed is fixed. 0 for fewer than two.
 */
double median_error(const double *values, size_t n);

/*
 * Returns the error of a median of n samples of which only the unscaled MAD is known: normal,
 * independent ones.
 */
double median_error_by_mad(double mad, double n);

/*
 * The difference of two means over runs, and its error. The run is the unit (Kalibera and Jones,
 * "Rigorous benchmarking in reasonable time", 2013): samples of one run share the random conditions
 * of that run, so more of them do not say more about the next run.
 */

/* One set's runs, each a value: a logarithm, or a part of the reference. */
struct set_side {
	double runs, mean;
	double own;      /* variance between the runs; NAN: there is one run */
	double expected; /* variance of one run: the assumed one and that of its median */
	double part_df;  /* degrees of freedom of `expected` */
};

/* The variance of the next row by all rows of a set. */
struct lot {
	struct variance prior;
	double df; /* of all rows together */
};

struct effect {
	double size, error; /* difference of the means, and its standard error */
	double df, p;       /* Student's: p of a size this large if there is no difference */
};

/* n >= 1 runs, with the assumed and known variance of one, see run_variance. */
struct set_side side_of_values(const double *values, size_t n, struct variance of_one);

/*
 * Variance of one run: the assumed difference between repeated runs (a standard deviation), which
 * is hardly known, and the error of its median.
 */
struct variance run_variance(double assumed, double median_error);

/*
 * The effect by Welch's degrees of freedom; but two sides with equally many runs and without a
 * prior get one variance for both, which then is as good and loses no degree of freedom. Never more
 * than both sides have together; what both take from the other rows counts once.
 */
struct effect effect_of(const struct set_side side[2], const struct lot lot[2]);

/*
 * The scale of the effects. If a side has a single run, only the differences between the rows of
 * the two sides show how far its runs lie apart: most rows are taken to be equal. n effects of such
 * rows show by which factor the variance of one is wrong, and how heavy the tail of such factors is
 * (variance_prior).
 */
struct variance effect_scale(const struct effect *, size_t n);

/*
 * Rescale the effect: more or less sure, and Student's with the scale's tail. `most`: above it, and
 * above the assumed error, the scale raises no error: if all rows differ by more, that is not
 * chance.
 */
void effect_rescale(struct effect *, struct variance scale, double most);

/*
 * Use that error, and the normal distribution, if with them so large a size is less probable by
 * chance.
 */
void effect_bound(struct effect *, double error);

/*
 * Runs a side with which the interval would lie within the margin (a logarithm) or exclude no
 * effect, if the effect is as large as it seems; NAN: more than RUNS_MOST.
 */
double effect_runs_wanted(const struct effect *, const struct set_side side[2], double margin);

/* Thresholds, see docs/method.md. */
#define FACTOR_LEAST 0.00001 /* of the median factor: runs may agree by chance, and 0 has no log */
#define RUN_LEAST    0.0018  /* least deviation of a run: clocks are no more exact than 0.5 % */
#define ASSUMED_DF   4       /* an assumed deviation is known within a factor of two */
#define RUNS_LEAST   3       /* two runs hardly show how far they lie apart */
#define RUNS_MOST    50

/* Half of the 95 % interval. */
double effect_half(const struct effect *);

#endif
