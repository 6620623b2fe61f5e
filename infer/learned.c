/* SPDX-License-Identifier: MIT */
/* How many passes a cost takes to fall; docs/method.md, "Knees, falls and halfway points". */
#include "infer/points.h"
#include "lib/math.h"

#define LEARNED_POINTS 5    /* passes that were timed, at least */
#define LEARNED_FALL   1.4  /* first cost over the lowest, more than this: as HALFWAY_RISE */
#define LEARNED_PART   0.05 /* of the fall: a pass that is no more above the lowest */

/*
 * The first pass that is learned, less itself: so many were needed. Later ones may cost more where
 * something disturbs them.
 */
struct estimate infer_learned(const struct point *p, unsigned n)
{
	const char *problem = points_problem(p, n, LEARNED_POINTS);
	double y[INFER_POINTS], lowest;
	unsigned at = 0;

	if (problem)
		return not_resolved(problem);
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	lowest = y[0];
	for (unsigned i = 1; i < n; i++)
		lowest = math_min(lowest, y[i]);
	if (p[0].x != 1)
		return not_resolved("the first pass was not measured");
	if (!(y[0] > LEARNED_FALL * lowest))
		return not_resolved("not learned in so many passes");
	while (y[at] > lowest + LEARNED_PART * (y[0] - lowest))
		at++;
	if (p[at].x > p[n - 1].x / 2)
		return not_resolved("still learning in the last passes");
	return resolved(p[at].x - 1, p[at - 1].x, p[at].x,
		1 / (1 + DOUBT_PER_OCTAVE * math_log2(p[at].x / p[at - 1].x)));
}
