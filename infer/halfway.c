/* SPDX-License-Identifier: MIT */
/*
 * Where a rising cost begins to rise, and where it passes the middle;
 * docs/method.md, "Knees, falls and halfway points".
 */
#include "infer/points.h"
#include "lib/math.h"
#include "lib/stats.h"

#define HALFWAY_RISE   1.4 /* last cost over the first, more than this */
#define LAST_RISE_MOST 0.2 /* part of the whole rise that lies in the last octave of x */

#define PERFECT_PART   0.05 /* of the rise to the last cost, above the level that a point is on */
#define PERFECT_SPAN   4    /* the level at x is the median cost from x over this to x, */
#define PERFECT_POINTS 3    /* of so many points, at least */

/* How much y rises over the last octave of x. */
static double last_octave_rise(const struct point *p, const double *y, unsigned n)
{
	unsigned from = n - 1;

	while (from && p[from].x > p[n - 1].x / 2)
		from--;
	return y[n - 1] - y[from];
}

/* The costs without outliers; NULL, or why they do not rise from one level to another. */
static const char *take_rise(const struct point *p, unsigned n, double *y, struct movement *moved)
{
	const char *problem = points_problem(p, n, RISING_POINTS);

	if (problem)
		return problem;
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	*moved = points_movement(y, n);
	if (!(y[n - 1] > HALFWAY_RISE * y[0]))
		return "the curve is flat";
	if (moved->down > FALLS_MOST * moved->up)
		return "does not rise steadily";
	if (last_octave_rise(p, y, n) > LAST_RISE_MOST * (y[n - 1] - y[0]))
		return "grows up to the largest size";
	return NULL;
}

/* The last point nearer to the first cost than to the last. */
static unsigned halfway(const double *y, unsigned n)
{
	double middle = (y[0] + y[n - 1]) / 2;
	unsigned at = 0;

	while (at + 1 < n && y[at + 1] < middle)
		at++;
	return at;
}

/* The wider the bracket and the more of the curve falls, the less sure. */
static struct estimate last_before(const struct point *p, unsigned at, const struct movement *moved)
{
	return resolved(p[at].x, p[at].x, p[at + 1].x,
		1 / (1 + DOUBT_PER_OCTAVE * math_log2(p[at + 1].x / p[at].x)) *
			(1 - moved->down / moved->up));
}

struct estimate infer_halfway(const struct point *p, unsigned n)
{
	double y[INFER_POINTS];
	struct movement moved;
	const char *problem = take_rise(p, n, y, &moved);

	return problem ? not_resolved(problem) : last_before(p, halfway(y, n), &moved);
}

/* Whether a point costs as much as the level that ends there, below which there may be others. */
static bool on_its_level(const struct point *p, const double *y, unsigned n, unsigned at)
{
	double level, before[INFER_POINTS];
	unsigned k = 0;

	for (unsigned i = 0; i <= at; i++)
		if (p[i].x * PERFECT_SPAN >= p[at].x)
			before[k++] = y[i];
	if (k < PERFECT_POINTS)
		return false;
	level = stats_median(before, k);
	return y[at] <= level + PERFECT_PART * (y[n - 1] - level);
}

struct estimate infer_perfect(const struct point *p, unsigned n)
{
	double y[INFER_POINTS];
	struct movement moved;
	const char *problem = take_rise(p, n, y, &moved);

	if (problem)
		return not_resolved(problem);
	for (unsigned at = halfway(y, n) + 1; at--;)
		if (on_its_level(p, y, n, at))
			return last_before(p, at, &moved);
	return not_resolved("rises from the smallest size on");
}
