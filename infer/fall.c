/* SPDX-License-Identifier: MIT */
/* Where a high cost falls for good; docs/method.md, "Knees, falls and halfway points". */
#include "infer/infer.h"
#include "lib/math.h"

#define FALL_POINTS     3    /* points at least */
#define FALL_LEAST      2    /* first cost over the last, at least */
#define FALL_CLEAR      5    /* no cost is nearer to the middle than 1 / FALL_CLEAR of the fall */
#define FALL_CONFIDENCE 0.95 /* every point is clearly on one side */

/*
 * The first point is high and the last one low. The middle between them and the distance from it
 * are taken in the logarithm of the cost.
 */
struct estimate infer_fall(const struct point *p, unsigned n)
{
	double fall, middle;
	unsigned at = 0;

	if (n < FALL_POINTS)
		return not_resolved("too few points");
	for (unsigned i = 0; i < n; i++)
		if (!(p[i].x > 0) || !(p[i].y > 0) || !math_finite(p[i].y))
			return not_resolved("points that are no times");
	fall = math_log(p[0].y / p[n - 1].y);
	if (fall < math_log(FALL_LEAST))
		return not_resolved("the cost does not fall");
	middle = math_log(p[n - 1].y) + fall / 2;
	while (at < n && math_log(p[at].y) > middle)
		at++;
	for (unsigned i = 0; i < n; i++)
		if (math_abs(math_log(p[i].y) - middle) < fall / FALL_CLEAR ||
			(i >= at && math_log(p[i].y) > middle))
			return not_resolved("neither high nor low");
	return resolved(p[at].x, NOT_A_NUMBER, NOT_A_NUMBER, FALL_CONFIDENCE);
}
