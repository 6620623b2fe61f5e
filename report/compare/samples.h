/* SPDX-License-Identifier: MIT */
/* How well the median of one run's samples is known. */
#ifndef REPORT_COMPARE_SAMPLES_H
#define REPORT_COMPARE_SAMPLES_H

#include <stddef.h>

/*
 * Standard error of the median of n samples in the order taken, in their unit, by the moving-block
 * bootstrap: blocks of successive samples are drawn together, so that a slow drift is not taken for
 * many independent samples (block length the square root of n, Kuensch 1989). Deterministic: the
 * generator's seed is fixed. 0 of fewer than two.
 */
double median_error(const double *values, size_t n);

/* The same of n samples of which only the unscaled MAD is known: normal, independent. */
double median_error_by_mad(double mad, double n);

#endif
