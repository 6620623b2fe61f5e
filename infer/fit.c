/* SPDX-License-Identifier: MIT */
#include "infer/fit.h"

#include <string.h>

#include "infer/points.h"
#include "lib/math.h"
#include "lib/stats.h"

/* The thresholds of docs/method.md, "Staircases". */
#define NOISE_MOST 0.15 /* standard deviation around the fit, of the natural logarithm */

/* Takes the points before the first one that has no logarithm: the rest is cut off. */
static void take_logarithms(struct fitted *w, const struct point *curve, unsigned n, double offset)
{
	for (w->n = 0; w->n < n; w->n++) {
		double y = curve[w->n].y + offset;

		if (!(y > 0) || !math_finite(y))
			return;
		w->x[w->n] = math_log2(curve[w->n].x);
		w->raw[w->n] = math_log(y);
	}
}

/* Pool adjacent violators: least squares among rising functions. */
static void fit_rising(const double *y, unsigned n, double *fit)
{
	double sum[INFER_POINTS];
	unsigned size[INFER_POINTS], blocks = 0, at = 0;

	for (unsigned i = 0; i < n; i++) {
		sum[blocks] = y[i];
		size[blocks++] = 1;
		while (blocks > 1 &&
			sum[blocks - 2] * size[blocks - 1] > sum[blocks - 1] * size[blocks - 2]) {
			sum[blocks - 2] += sum[blocks - 1];
			size[blocks - 2] += size[blocks - 1];
			blocks--;
		}
	}
	for (unsigned b = 0; b < blocks; b++)
		for (unsigned i = 0; i < size[b]; i++)
			fit[at++] = sum[b] / size[b];
}

/* Standard deviation of raw around fit, by the median: outliers do not move it. */
static double scatter(const struct fitted *w)
{
	double r[INFER_POINTS];

	for (unsigned i = 0; i < w->n; i++)
		r[i] = math_abs(w->raw[i] - w->fit[i]);
	return MAD_TO_SIGMA * stats_median(r, w->n);
}

/*
 * Without noise a staircase never falls, and with noise of a few per cent the falls are a small
 * part of all movement. A random curve falls as much as it rises.
 */
const char *infer_fit(struct fitted *w, const struct point *curve, unsigned n,
	const struct staircase_rules *rules)
{
	const char *problem = points_order(curve, n, RISING_POINTS);
	struct movement moved;
	double clean[INFER_POINTS];

	w->rise = math_log(rules->rise);
	w->offset = rules->offset;
	w->noise = 0;
	if (problem)
		return problem;
	take_logarithms(w, curve, n, rules->offset);
	if (w->n < RISING_POINTS)
		return "points that are no numbers";
	n = w->n;
	memcpy(clean, w->raw, n * sizeof *clean);
	points_remove_outliers(clean, n);
	moved = points_movement(clean, n);
	fit_rising(clean, n, w->fit);
	w->noise = scatter(w);
	if (w->fit[n - 1] - w->fit[0] < w->rise)
		return "the curve is flat";
	if (moved.down > FALLS_MOST * moved.up || w->noise > NOISE_MOST)
		return "does not rise steadily";
	return NULL;
}
