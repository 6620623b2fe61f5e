/* SPDX-License-Identifier: MIT */
/* What is a plateau, and what only lies between two. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "infer/infer.h"

/* Of points between two levels that scatter too much to be a plateau, the cost is not told. */
static void points_that_scatter_are_no_plateau(void **state)
{
	static const double costs[] = { 4, 4, 4, 4, 4, 4, 16.8, 18.2, 14, 14, 18.2, 16.8, 60, 60,
		60, 60, 60 };
	enum { POINTS = sizeof costs / sizeof *costs };
	struct point p[POINTS];
	struct staircase s;

	(void)state;
	for (unsigned i = 0; i < POINTS; i++)
		p[i] = (struct point){ 1024 * exp2(i / 4.0), costs[i] };
	assert_int_equal(infer_staircase(p, POINTS, &cache_rules, &s), 3);
	if (!s.level[1].hidden)
		fail_msg("expected a hidden level, came a plateau of %g", s.level[1].y);
	assert_true(s.level[0].y == 4 && s.level[2].y == 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_that_scatter_are_no_plateau),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
