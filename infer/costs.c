/* SPDX-License-Identifier: MIT */
/* Points of a curve of costs that cannot be costs; docs/method.md, "tlb", has the thresholds. */
#include "infer/infer.h"
#include "lib/math.h"

#define COST_BELOW   1.5 /* core cycles below 0, at most: two chases differ by so much */
#define COST_FALL    1.4 /* factor, after COST_OFFSET: a fall as high as a rise between levels */
#define COST_OFFSET  3   /* core cycles */
#define BAD_TOGETHER 2   /* bad points in a row end the curve, fewer are left out */

/* By the median of the last three points, so that one high point makes none bad after it. */
static bool bad(const struct point *p, unsigned n, double y)
{
	if (!(y > -COST_BELOW))
		return true;
	return n >= 3 &&
		(y + COST_OFFSET) * COST_FALL <
		math_median_of_three(p[n - 3].y, p[n - 2].y, p[n - 1].y) + COST_OFFSET;
}

unsigned infer_usable_costs(struct point *curve, unsigned n)
{
	unsigned kept = 0, together = 0;

	for (unsigned i = 0; i < n && together < BAD_TOGETHER; i++) {
		if (bad(curve, kept, curve[i].y)) {
			together++;
			continue;
		}
		together = 0;
		curve[kept++] = curve[i];
	}
	return kept;
}
