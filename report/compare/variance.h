/* SPDX-License-Identifier: MIT */
/*
 * Variances of many rows, each known from few runs. Each row's variance is a factor of what was
 * expected of it; the factors of all rows tell how far one may lie from the others, and each is
 * drawn towards those (the empirical Bayes estimate of Smyth, "Linear models and empirical Bayes
 * methods for assessing differential expression", 2004, sections 3 and 6.2).
 */
#ifndef REPORT_COMPARE_VARIANCE_H
#define REPORT_COMPARE_VARIANCE_H

#include <stddef.h>

/* A variance over the expected one, and the degrees of freedom that it is known with. */
struct variance {
	double factor, df;
};

#define VARIANCE_ROWS 10 /* fewer rows say nothing of each other */

/* What n rows together say of the next one; df 0 with fewer than VARIANCE_ROWS. */
struct variance variance_prior(const struct variance *rows, size_t n);

/* The row's own variance drawn towards the prior; df at most `most`, which all rows have. */
struct variance variance_moderated(struct variance prior, struct variance row, double most);

#endif
