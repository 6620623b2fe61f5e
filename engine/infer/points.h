/* SPDX-License-Identifier: MIT */
/*
 * Declarations that all readers of curves use; private to engine/infer/. Every constant in
 * engine/infer/ that decides what is resolved, and how sure it is, stands in docs/method.md,
 * "summary", with its reason.
 */
#ifndef INFER_POINTS_H
#define INFER_POINTS_H

#include "engine/infer/infer.h"

/* Shared by staircases and halfway points; docs/method.md, "Staircases" and "Confidence". */
#define RISING_POINTS   5    /* points that a rising curve has at least */
#define FALLS_MOST      0.4  /* sum of all falls, as a part of the sum of all rises */
#define LOSS_PER_OCTAVE 0.25 /* confidence is divided by 1 + this x the width of the bracket */

/*
 * NULL, or why these points are no curve: fewer than `least`, a y that is not finite, an x that is
 * not above 0 or not above the one before. n is at most INFER_POINTS.
 */
const char *points_problem(const struct curve_point *, unsigned n, unsigned least);

/*
 * Median of three along y[0..n-1], n >= 1, in place; the ends stay. Removes isolated outliers, and
 * leaves any monotone curve as it is.
 */
void points_remove_outliers(double *y, unsigned n);

/* Sums of all rises and of all falls from one value to the next, both >= 0. */
struct movement {
	double up, down;
};
struct movement points_movement(const double *y, unsigned n);

/* A straight line, y = at + slope * x. */
struct straight_line {
	double at, slope;
	double errors; /* sum of squared residuals */
};

/* The line of least squares through (p[i].x, y[i]), i = first..last. */
struct straight_line points_line(const struct curve_point *p, const double *y, unsigned first,
	unsigned last);

/* The nearest rising function of a curve; private to the staircase reader. */

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
const char *infer_fit(struct fitted *, const struct curve_point *curve, unsigned n,
	const struct staircase_rules *);

/* Thresholds that several readers share. */
#define SPLIT_OCTAVES 0.3 /* a longer gap is bisected where the cost rises by a level's factor */
#define SOFT_STEP     1.1 /* points that enclose a place of a soft edge are so close */
#define RISE_LOW      0.1 /* the parts of a rise whose places a soft edge is given by */
#define RISE_MIDDLE   0.5
#define RISE_HIGH     0.9
#define SOFT_RATIO    1.3 /* an edge is soft if its rise takes more than this factor of x */

#endif
