/* SPDX-License-Identifier: MIT */
/* What is a plateau, and what only lies between two. */
#include <math.h>

#include "infer/infer.h"
#include "tests/unit/test.h"

/* Of points between two levels that scatter too much to be a plateau, the cost is not told. */
TEST(points_that_scatter_are_no_plateau)
{
	static const double costs[] = { 4, 4, 4, 4, 4, 4, 16.8, 18.2, 14, 14, 18.2, 16.8, 60, 60,
		60, 60, 60 };
	enum { POINTS = sizeof costs / sizeof *costs };
	struct point p[POINTS];
	struct staircase s;

	for (unsigned i = 0; i < POINTS; i++)
		p[i] = (struct point){ 1024 * exp2(i / 4.0), costs[i] };
	assert_int_equal(infer_staircase(p, POINTS, &cache_rules, &s), 3);
	if (!s.level[1].hidden)
		fail_msg("expected a hidden level, came a plateau of %g", s.level[1].y);
	assert_true(s.level[0].y == 4 && s.level[2].y == 60);
}
