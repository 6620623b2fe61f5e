/* SPDX-License-Identifier: MIT */
/* Statistics of samples. */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include <stddef.h>

/* Samples in the order they were taken, and sorted; build with samples_init. */
struct samples {
	double *sorted;
	size_t *rank; /* rank[i]: where the i-th sample taken stands in sorted */
	size_t n;
};

void samples_init(struct samples *, const double *values, size_t n);
void samples_free(struct samples *);

/* Median absolute deviation from the median, not scaled; n > 0. */
double deviation_of(const double *sorted, size_t n);

struct interval {
	double low, high;
};

/*
 * 95 % interval of median(b) / median(a) by the percentile bootstrap, blocks of successive samples
 * drawn together (so that a slow drift is not taken for many independent samples; block length
 * the square root of n, Künsch 1989). Deterministic: the generator's seed is fixed.
 */
struct interval ratio_interval(const struct samples *a, const struct samples *b);

#endif
