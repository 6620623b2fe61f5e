/* SPDX-License-Identifier: MIT */
/* Functions that all readers of curves use: estimates, points, the nearest rising function. */
#include "engine/infer/points.h"

#include <string.h>

#include "engine/infer/infer.h"
#include "lib/ensure.h"
#include "lib/math.h"
#include "lib/stats.h"

struct estimate not_resolved(const char *reason)
{
	return (struct estimate){
		.value = NOT_A_NUMBER, .low = NOT_A_NUMBER, .high = NOT_A_NUMBER, .reason = reason
	};
}

struct estimate resolved(double value, double low, double high, double confidence)
{
	return (struct estimate){
		.value = value, .low = low, .high = high, .confidence = confidence
	};
}

/* points_problem without a look at y. */
static const char *points_order(const struct curve_point *p, unsigned n, unsigned least)
{
	ensure(n <= INFER_POINTS);
	if (n < least)
		return "too few points";
	for (unsigned i = 0; i < n; i++)
		if (!(p[i].x > 0) || (i && p[i].x <= p[i - 1].x))
			return "points that are no numbers";
	return NULL;
}

const char *points_problem(const struct curve_point *p, unsigned n, unsigned least)
{
	for (unsigned i = 0; i < n; i++)
		if (!math_finite(p[i].y))
			return "points that are no numbers";
	return points_order(p, n, least);
}

void points_remove_outliers(double *y, unsigned n)
{
	double before = y[0];

	for (unsigned i = 1; i + 1 < n; i++) {
		double here = y[i];

		y[i] = math_median_of_three(before, here, y[i + 1]);
		before = here;
	}
}

struct movement points_movement(const double *y, unsigned n)
{
	struct movement m = { 0, 0 };

	for (unsigned i = 1; i < n; i++) {
		m.up += math_max(0, y[i] - y[i - 1]);
		m.down += math_max(0, y[i - 1] - y[i]);
	}
	return m;
}

struct straight_line points_line(const struct curve_point *p, const double *y, unsigned first,
	unsigned last)
{
	double n = last - first + 1, mx = 0, my = 0, xx = 0, xy = 0;
	struct straight_line l = { 0 };

	for (unsigned i = first; i <= last; i++) {
		mx += p[i].x / n;
		my += y[i] / n;
	}
	for (unsigned i = first; i <= last; i++) {
		xx += (p[i].x - mx) * (p[i].x - mx);
		xy += (p[i].x - mx) * (y[i] - my);
	}
	l.slope = xx > 0 ? xy / xx : 0;
	l.at = my - l.slope * mx;
	for (unsigned i = first; i <= last; i++) {
		double r = y[i] - l.at - l.slope * p[i].x;

		l.errors += r * r;
	}
	return l;
}

/* The thresholds of docs/method.md, "Staircases". */
#define NOISE_MOST 0.15 /* standard deviation around the fit, of the natural logarithm */

/* Takes the points before the first one that has no logarithm: the rest is cut off. */
static void take_logarithms(struct fitted *w, const struct curve_point *curve, unsigned n,
	double offset)
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
const char *infer_fit(struct fitted *w, const struct curve_point *curve, unsigned n,
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

/* Points of a curve of costs that cannot be costs; probes/tlb/README.md has the thresholds. */

#define COST_BELOW   1.5 /* core cycles below 0, at most: two chases differ by so much */
#define COST_FALL    1.4 /* factor, after COST_OFFSET: a fall as high as a rise between levels */
#define COST_OFFSET  3   /* core cycles */
#define BAD_TOGETHER 2   /* bad points in a row end the curve, if no two good ones follow */

/* By the median of the last three points, so that one high point makes none bad after it. */
static bool is_no_cost(const struct curve_point *p, unsigned n, double y)
{
	if (!(y > -COST_BELOW))
		return true;
	return n >= 3 &&
		(y + COST_OFFSET) * COST_FALL <
		math_median_of_three(p[n - 3].y, p[n - 2].y, p[n - 1].y) + COST_OFFSET;
}

/* Returns true if the curve goes on: the next two points after i may be costs. */
static bool goes_on(const struct curve_point *curve, unsigned kept, unsigned i, unsigned n)
{
	return kept && i + 2 < n && !is_no_cost(curve, kept, curve[i + 1].y) &&
		!is_no_cost(curve, kept, curve[i + 2].y);
}

unsigned infer_usable_costs(struct curve_point *curve, unsigned n)
{
	unsigned kept = 0, together = 0;

	for (unsigned i = 0; i < n; i++) {
		if (is_no_cost(curve, kept, curve[i].y)) {
			if (++together == BAD_TOGETHER && !goes_on(curve, kept, i, n))
				break;
			continue;
		}
		together = 0;
		curve[kept++] = curve[i];
	}
	return kept;
}
