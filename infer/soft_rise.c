/* SPDX-License-Identifier: MIT */
/*
 * A rise that is no cliff: docs/method.md, "Knees, falls and halfway points". What fades out over a
 * range has no size to the per cent.
 */
#include "infer/edge.h"
#include "infer/points.h"
#include "lib/math.h"

/* The last point before a part of the rise from the first cost to the last is done. */
static unsigned before(const double *y, unsigned n, double part)
{
	unsigned i = 0;

	while (i + 2 < n && y[i + 1] < y[0] + part * (y[n - 1] - y[0]))
		i++;
	return i;
}

/* Where that is, between two points. */
static double place(const struct point *p, const double *y, unsigned n, double part)
{
	unsigned i = before(y, n, part);
	double want = y[0] + part * (y[n - 1] - y[0]), share = (want - y[i]) / (y[i + 1] - y[i]);

	return p[i].x * math_exp(share * math_log(p[i + 1].x / p[i].x));
}

struct estimate infer_soft_rise(const struct point *p, unsigned n, struct estimate e)
{
	double y[INFER_POINTS], narrow = math_log2(e.high / e.low);
	unsigned first, last;

	if (e.reason || points_problem(p, n, RISING_POINTS))
		return e;
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	first = before(y, n, RISE_LOW);
	last = before(y, n, RISE_HIGH) + 1;
	if (p[last - 1].x <= SOFT_RATIO * p[first + 1].x)
		return e;
	e.rise_10 = place(p, y, n, RISE_LOW);
	e.rise_50 = place(p, y, n, RISE_MIDDLE);
	e.rise_90 = place(p, y, n, RISE_HIGH);
	e.low = math_min(e.low, p[first].x);
	e.high = math_max(e.high, p[last].x);
	e.confidence *= (1 + DOUBT_PER_OCTAVE * narrow) /
		(1 + DOUBT_PER_OCTAVE * math_log2(e.high / e.low));
	return e;
}
