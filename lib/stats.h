/* SPDX-License-Identifier: MIT */
/* Robust statistics of samples; no sample is left out. */
#ifndef LIB_STATS_H
#define LIB_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Ratio of standard deviation to median absolute deviation, for a normal distribution. */
#define MAD_TO_SIGMA 1.4826

struct stats {
	size_t n;
	double min, p10, median, p90, p99, max, mean;
	double mad;      /* median absolute deviation from the median, unscaled */
	double iqr;      /* interquartile range */
	size_t outliers; /* outside Tukey's fences, quartiles -+ 1.5 iqr */
};

/* n >= 1. scratch holds n doubles and is overwritten; values are left as they are. */
struct stats stats_of(const double *values, size_t n, double *scratch);

/* Quantile q (0..1) of n >= 1 ascending values, interpolated (Hyndman and Fan 1996, type 7). */
double stats_quantile(const double *sorted, size_t n, double q);

void stats_sort(double *values, size_t n);

/* Median of n >= 1 values; sorts them. */
double stats_median(double *values, size_t n);

/* The value that three quarters of n >= 1 values do not exceed; sorts them. */
double stats_upper_quartile(double *values, size_t n);

/*
 * Half the width of the median's 95 % interval as a fraction of the median, by the notch rule 1.57
 * iqr / sqrt(n) (McGill, Tukey and Larsen 1978). 0 if the median is 0.
 */
double stats_spread(const struct stats *);

#define NOISE_SPREADS 2 /* from the 10th to the 90th percentile */

/*
 * Returns true if the samples do not tell their value from none, as those of a difference may: one
 * is 0 or less, and the median is no further from 0 than NOISE_SPREADS spreads.
 */
static inline bool stats_are_noise(double min, double p10, double median, double p90)
{
	return min <= 0 && (median < 0 ? -median : median) <= NOISE_SPREADS * (p90 - p10);
}

#endif
