/* SPDX-License-Identifier: MIT */
/* Up to where a cost is in proportion to x; docs/method.md, "Knees, falls and halfway points". */
#include "infer/points.h"
#include "lib/math.h"

#define KNEE_POINTS        6    /* points at least */
#define HALF_LEAST         1.9  /* x over that of the point taken for half of x: strides of 16, */
#define HALF_MOST          2.15 /* 15, 32 and 31 bytes make ratios of 1.94 to 2.13 */
#define PROPORTIONAL_LEAST 0.84 /* growth (see below) a quarter of an octave below 1 */
#define PROPORTIONAL_MOST  1.19 /* and above it */
#define CONSTANT_LEAST     0.42 /* growth a quarter of an octave below 1/2 */
#define KNEE_RUN           2    /* points on each side of the knee, at least */
#define KNEE_CONFIDENCE    0.9  /* the rules above leave a random curve hardly a chance */

/*
 * Growth of y from half of x to x, over that of a cost in proportion: 1 below the knee, 1/2 where
 * the cost is constant. NAN where no point is near half of x.
 */
static double growth_at(const struct point *p, unsigned i)
{
	for (unsigned j = i; j-- > 0;) {
		double ratio = p[i].x / p[j].x;

		if (ratio > HALF_LEAST && ratio < HALF_MOST)
			return p[i].y / p[j].y / ratio;
	}
	return NOT_A_NUMBER;
}

static bool proportional(double growth)
{
	return growth >= PROPORTIONAL_LEAST && growth <= PROPORTIONAL_MOST;
}

static bool nearly_constant(double growth)
{
	return growth < PROPORTIONAL_LEAST && growth > CONSTANT_LEAST;
}

/*
 * From the small end: perhaps points that the processor's own work keeps constant, then points in
 * proportion, then the knee, then points that grow less.
 */
struct estimate infer_knee(const struct point *p, unsigned n)
{
	const char *problem = points_problem(p, n, KNEE_POINTS);
	unsigned before = 0, after = 0, at = 0, next = 0;

	if (problem)
		return not_resolved(problem);
	for (unsigned i = 0; i < n && after < KNEE_RUN; i++) {
		double growth = growth_at(p, i);

		if (!(p[i].y > 0))
			return not_resolved("points that are no times");
		if (growth != growth)
			continue;
		if (proportional(growth) && !after) {
			before++;
			at = i;
		} else if (!nearly_constant(growth)) {
			return not_resolved("no slope that ends in a plateau");
		} else if (before) {
			next = after++ ? next : i;
		}
	}
	if (before < KNEE_RUN)
		return not_resolved("no slope that ends in a plateau");
	if (after < KNEE_RUN)
		return not_resolved("grows up to the largest stride");
	return resolved(p[at].x, p[at].x, p[next].x, KNEE_CONFIDENCE);
}
