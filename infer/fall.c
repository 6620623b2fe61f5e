/* SPDX-License-Identifier: MIT */
#include "infer/infer.h"
#include "lib/math.h"

static struct estimate unresolved(const char *reason)
{
	return (struct estimate){ NOT_A_NUMBER, NOT_A_NUMBER, NOT_A_NUMBER, 0, reason };
}

/*
 * The first cost and the last one are known to lie on either side. Half way between is meant by
 * ratio; what lies within a fifth of it, as a part of the fall, is on neither side.
 */
struct estimate infer_fall(const struct point *p, unsigned n)
{
	double high, middle;
	unsigned at = 0;

	if (n < 3)
		return unresolved("too few points");
	for (unsigned i = 0; i < n; i++)
		if (!(p[i].x > 0) || !(p[i].y > 0) || !math_finite(p[i].y))
			return unresolved("points that are no times");
	high = math_log(p[0].y / p[n - 1].y);
	if (high < math_log(2))
		return unresolved("the cost does not fall");
	middle = math_log(p[n - 1].y) + high / 2;
	while (at < n && math_log(p[at].y) > middle)
		at++;
	for (unsigned i = 0; i < n; i++)
		if (math_abs(math_log(p[i].y) - middle) < high / 5 ||
			(i >= at && math_log(p[i].y) > middle))
			return unresolved("neither high nor low");
	return (struct estimate){ p[at].x, NOT_A_NUMBER, NOT_A_NUMBER, 0.95, NULL };
}
