/* SPDX-License-Identifier: MIT */
/*
 * Find the number of lanes beyond which more do not help; probes/mlp/README.md, "Parallel misses".
 */
#include "engine/infer/points.h"
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
#define LIMIT_POINTS    4    /* points, at least, to tell a limit that is approached */
#define LIMIT_FROM      1.5 /* lanes over the height: from here on, what is missing goes as 1 / x */
#define LIMIT_TO        4   /* the same, at most: more lanes may meet another limit */
#define LIMIT_ERRORS    5   /* standard errors by which many points approach it, at least, */
#define LIMIT_FEW       2   /* and 1 + this / (points - 2) times as many of few points */
#define LIMIT_WIDTH     4   /* standard errors from a limit to the end of its bracket */
#define LIMIT_BEYOND    1.1 /* a limit over the highest point, at most: more is a guess */

#define STILL_GROWS "grows up to the most lanes tried"

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
static void plateau(const double *y, unsigned n, double height, unsigned *first, unsigned *last)
{
	*first = 0;
	*last = n - 1;
	while (*first < *last && y[*first] < PLATEAU_PART * height)
		++*first;
	while (*last > *first && y[*last] < PLATEAU_PART * height)
		--*last;
}

/* Sum of the squared distances of n points' x from their mean, which it sets. */
static double spread_of(const struct curve_point *p, unsigned n, double *mean)
{
	double spread = 0;

	*mean = 0;
	for (unsigned i = 0; i < n; i++)
		*mean += p[i].x / n;
	for (unsigned i = 0; i < n; i++)
		spread += (p[i].x - *mean) * (p[i].x - *mean);
	return spread;
}

/*
 * d ln y / d ln x over points first..last, less two standard errors: 1 where the speed-up is
 * proportional to the lanes, 0 where it is constant.
 */
static double elasticity(const struct curve_point *p, unsigned first, unsigned last)
{
	struct curve_point logs[INFER_POINTS] = { 0 };
	double y[INFER_POINTS] = { 0 }, mean;
	unsigned n = last - first + 1;

	for (unsigned i = 0; i < n; i++) {
		logs[i].x = math_log(p[first + i].x);
		y[i] = math_log(p[first + i].y);
	}
	struct straight_line l = points_line(logs, y, 0, n - 1);

	return l.slope - 2 * __builtin_sqrt(l.errors / (n - 2) / spread_of(logs, n, &mean));
}

/* Returns true if the number of lanes tried, and not a limit, may have ended the plateau. */
static bool still_grows(const struct curve_point *p, unsigned first, unsigned last, double value)
{
	return p[last].x < LANES_ABOVE * value || p[last].x < PLATEAU_SPAN * p[first].x ||
		elasticity(p, first, last) > ELASTICITY_MOST;
}

/* The median of a plateau, of y[0..n-1], which it sorts. */
static struct estimate middle_of(double *y, unsigned n)
{
	double value = stats_median(y, n);

	return resolved(value, y[0], y[n - 1], 1 / (1 + (y[n - 1] - y[0]) / value));
}

/*
 * The limit that the points of a plateau approach as 1 / x, in place of its median. Where misses
 * are dealt out to several banks of buffers, some lie idle while chains wait for another one, the
 * fewer the more chains there are. Where scatter may be all there is, the limit is the upper end of
 * the bracket.
 */
static struct estimate approached(const struct curve_point *p, unsigned n, double height,
	struct estimate e)
{
	struct curve_point parts[INFER_POINTS]; /* y over 1 / x */
	double v[INFER_POINTS], low = height, seen = 0, mean;
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++) {
		if (p[i].x < LIMIT_FROM * height || p[i].x > LIMIT_TO * height)
			continue;
		parts[count].x = 1 / p[i].x;
		low = math_min(low, p[i].y);
		seen = math_max(seen, p[i].y);
		v[count++] = p[i].y;
	}
	if (count < LIMIT_POINTS)
		return e;
	struct straight_line l = points_line(parts, v, 0, count - 1);
	double spread = spread_of(parts, count, &mean), variance = l.errors / (count - 2);
	double errors = LIMIT_ERRORS * (1 + LIMIT_FEW / ((double)count - 2));
	double high = math_min(LIMIT_BEYOND * seen,
		l.at +
			LIMIT_WIDTH *
				__builtin_sqrt(variance *
					(1 / (double)count + mean * mean / spread)));

	double sure = -l.slope / __builtin_sqrt(variance / spread); /* standard errors */

	if (sure > 1)
		e.high = math_max(e.high, high);
	if (!(sure > errors) || l.at > high)
		return e;
	return resolved(l.at, low, high, 1 / (1 + (high - low) / l.at));
}

struct estimate infer_saturation(const struct curve_point *p, unsigned n)
{
	const char *problem = points_problem(p, n, LANES_POINTS);
	double y[INFER_POINTS], plain[INFER_POINTS], height;
	unsigned first, last;

	if (problem)
		return not_resolved(problem);
	for (unsigned i = 0; i < n; i++) {
		if (!(p[i].y > 0))
			return not_resolved("points that are no speed-ups");
		y[i] = plain[i] = p[i].y;
	}
	points_remove_outliers(y, n);
	height = height_of(y, n);
	plateau(y, n, height, &first, &last);
	if (last - first + 1 < PLATEAU_POINTS)
		return not_resolved("the speed-up has no plateau");
	struct estimate e = middle_of(plain + first, last - first + 1);

	if (e.high > PEAK_MOST * e.value)
		return not_resolved("scatters too much");
	e = approached(p + first, last - first + 1, height, e);
	return still_grows(p, first, last, e.value) ? not_resolved(STILL_GROWS) : e;
}
