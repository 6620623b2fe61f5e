/* SPDX-License-Identifier: MIT */
/* Where a rising cost passes the middle; docs/method.md, "Knees, falls and halfway points". */
#include "infer/points.h"
#include "lib/math.h"

#define HALFWAY_RISE   1.4 /* last cost over the first, more than this */
#define LAST_RISE_MOST 0.2 /* part of the whole rise that lies in the last octave of x */

/* How much y rises over the last octave of x. */
static double last_octave_rise(const struct point *p, const double *y, unsigned n)
{
	unsigned from = n - 1;

	while (from && p[from].x > p[n - 1].x / 2)
		from--;
	return y[n - 1] - y[from];
}

/* The wider the bracket and the more of the curve falls, the less sure. */
struct estimate infer_halfway(const struct point *p, unsigned n)
{
	const char *problem = points_problem(p, n, RISING_POINTS);
	double y[INFER_POINTS], middle;
	struct movement moved;
	unsigned at = 0;

	if (problem)
		return not_resolved(problem);
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	moved = points_movement(y, n);
	if (!(y[n - 1] > HALFWAY_RISE * y[0]))
		return not_resolved("the curve is flat");
	if (moved.down > FALLS_MOST * moved.up)
		return not_resolved("does not rise steadily");
	if (last_octave_rise(p, y, n) > LAST_RISE_MOST * (y[n - 1] - y[0]))
		return not_resolved("grows up to the largest size");
	middle = (y[0] + y[n - 1]) / 2;
	while (at + 1 < n && y[at + 1] < middle)
		at++;
	return resolved(p[at].x, p[at].x, p[at + 1].x,
		1 / (1 + DOUBT_PER_OCTAVE * math_log2(p[at + 1].x / p[at].x)) *
			(1 - moved.down / moved.up));
}
