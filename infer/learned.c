/* SPDX-License-Identifier: MIT */
/* After how many passes a cost stays low; docs/method.md, "Knees, falls and halfway points". */
#include "infer/points.h"
#include "lib/math.h"

#define LEARNED_POINTS 5    /* passes that were timed, at least */
#define LEARNED_FALL   1.4  /* first cost over the last, more than this: as HALFWAY_RISE */
#define LEARNED_PART   0.05 /* of the fall: a pass that is no more above the last */

/* The first pass from which on all are learned, less itself: they were needed to learn. */
struct estimate infer_learned(const struct point *p, unsigned n)
{
	const char *problem = points_problem(p, n, LEARNED_POINTS);
	double y[INFER_POINTS], limit;
	unsigned at = n;

	if (problem)
		return not_resolved(problem);
	for (unsigned i = 0; i < n; i++)
		y[i] = p[i].y;
	points_remove_outliers(y, n);
	if (p[0].x != 1)
		return not_resolved("the first pass was not measured");
	if (!(y[0] > LEARNED_FALL * y[n - 1]))
		return not_resolved("not learned in so many passes");
	limit = y[n - 1] + LEARNED_PART * (y[0] - y[n - 1]);
	while (y[at - 1] <= limit)
		at--;
	if (p[at].x > p[n - 1].x / 2)
		return not_resolved("still learning in the last passes");
	return resolved(p[at].x - 1, p[at - 1].x, p[at].x,
		1 / (1 + DOUBT_PER_OCTAVE * math_log2(p[at].x / p[at - 1].x)));
}
