/* SPDX-License-Identifier: MIT */
/* The nearest rising function of a curve; private to the staircase reader. */
#ifndef INFER_FIT_H
#define INFER_FIT_H

#include "infer/infer.h"

struct fitted {
	unsigned n;
	double x[INFER_POINTS];   /* log2 of x */
	double raw[INFER_POINTS]; /* natural logarithm of y + offset */
	double fit[INFER_POINTS]; /* its nearest rising function */
	double noise;             /* standard deviation of raw around fit */
	double offset;            /* added to every y */
	double rise;              /* natural logarithm of the least factor between levels */
};

/*
 * Takes logarithms and fits. A curve ends before its first point that is absurd (no number, or not
 * above -offset): n is how many are left. NULL, or why the curve is no staircase.
 */
const char *infer_fit(struct fitted *, const struct point *curve, unsigned n,
	const struct staircase_rules *);

#endif
