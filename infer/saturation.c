/* SPDX-License-Identifier: MIT */
/* Where more lanes stop helping; docs/method.md, "Parallel misses". */
#include "infer/points.h"
#include "lib/math.h"
#include "lib/stats.h"

#define LANES_POINTS    4    /* points at least */
#define HEIGHT_WINDOW   5    /* neighbouring points whose median is the height */
#define SHORT_WINDOW    3    /* the same on a short curve */
#define SHORT_CURVE     12   /* points: a curve of fewer is short */
#define PLATEAU_PART    0.93 /* of the height: a point on the plateau reaches it */
#define PLATEAU_POINTS  3    /* points of a plateau, its ends included */
#define LANES_ABOVE     1.15 /* most lanes on the plateau over its value, at least */
#define PLATEAU_SPAN    1.2  /* most lanes on the plateau over the fewest, at least */
#define ELASTICITY_MOST 0.25 /* of the speed-up along the plateau; see elasticity */
#define PEAK_MOST       1.5  /* highest point of the plateau over its value */

/* The highest median of neighbouring points: noise alone does not raise all of them. */
static double height_of(const double *y, unsigned n)
{
	unsigned width = n < SHORT_CURVE ? SHORT_WINDOW : HEIGHT_WINDOW;
	double best = 0, v[HEIGHT_WINDOW];

	for (unsigned i = 0; i + width <= n; i++) {
		for (unsigned k = 0; k < width; k++)
			v[k] = y[i + k];
		best = math_max(best, stats_median(v, width));
	}
	return best;
}

/* From the first point that reaches PLATEAU_PART of the height to the last one. */
static void plateau(const double *y, unsigned n, unsigned *first, unsigned *last)
{
	double height = height_of(y, n);

	*first = 0;
	*last = n - 1;
	while (*first < *last && y[*first] < PLATEAU_PART * height)
		++*first;
	while (*last > *first && y[*last] < PLATEAU_PART * height)
		--*last;
}

/*
 * d ln y / d ln x over points first..last, less two standard errors: 1 where the speed-up is
 * proportional to the lanes, 0 where it is constant.
 */
static double elasticity(const struct point *p, unsigned first, unsigned last)
{
	struct point logs[INFER_POINTS] = { 0 };
	double y[INFER_POINTS] = { 0 }, mean = 0, spread = 0;
	unsigned n = last - first + 1;

	for (unsigned i = 0; i < n; i++) {
		logs[i].x = math_log(p[first + i].x);
		y[i] = math_log(p[first + i].y);
		mean += logs[i].x / n;
	}
	struct line l = points_line(logs, y, 0, n - 1);

	for (unsigned i = 0; i < n; i++)
		spread += (logs[i].x - mean) * (logs[i].x - mean);
	return l.slope - 2 * __builtin_sqrt(l.errors / (n - 2) / spread);
}

/* Whether the lanes tried, and not a limit, may have ended the plateau. */
static bool still_grows(const struct point *p, unsigned first, unsigned last, double value)
{
	return p[last].x < LANES_ABOVE * value || p[last].x < PLATEAU_SPAN * p[first].x ||
		elasticity(p, first, last) > ELASTICITY_MOST;
}

struct estimate infer_saturation(const struct point *p, unsigned n)
{
	const char *problem = points_problem(p, n, LANES_POINTS);
	double y[INFER_POINTS], value;
	unsigned first, last, count = 0;

	if (problem)
		return not_resolved(problem);
	for (unsigned i = 0; i < n; i++) {
		if (!(p[i].y > 0))
			return not_resolved("points that are no speed-ups");
		y[i] = p[i].y;
	}
	points_remove_outliers(y, n);
	plateau(y, n, &first, &last);
	if (last - first + 1 < PLATEAU_POINTS)
		return not_resolved("the speed-up has no plateau");
	for (unsigned i = first; i <= last; i++)
		y[count++] = p[i].y;
	value = stats_median(y, count); /* which sorts y */
	if (still_grows(p, first, last, value))
		return not_resolved("grows up to the most lanes tried");
	if (y[count - 1] > PEAK_MOST * value)
		return not_resolved("scatters too much");
	return resolved(value, y[0], y[count - 1], 1 / (1 + (y[count - 1] - y[0]) / value));
}
