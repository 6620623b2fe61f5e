/* SPDX-License-Identifier: MIT */
#include "infer/points.h"

#include "lib/math.h"

const char *points_order(const struct point *p, unsigned n, unsigned least)
{
	if (n < least)
		return "too few points";
	for (unsigned i = 0; i < n; i++)
		if (!(p[i].x > 0) || (i && p[i].x <= p[i - 1].x))
			return "points that are no numbers";
	return n <= INFER_POINTS ? NULL : "points that are no numbers";
}

const char *points_problem(const struct point *p, unsigned n, unsigned least)
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

struct line points_line(const struct point *p, const double *y, unsigned first, unsigned last)
{
	double n = last - first + 1, mx = 0, my = 0, xx = 0, xy = 0;
	struct line l = { 0 };

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
