/* SPDX-License-Identifier: MIT */
/* Which number of a gap is measured next, and which gaps of a curve are looked into. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "infer/infer.h"

static void expect_next(double expected, double low, double high, const struct resolution *r)
{
	const struct estimate bracket = { .low = low, .value = low, .high = high };
	double x = infer_bisect(low, high, r), y = infer_bisect_bracket(&bracket, r);

	if (!(x == expected || (isnan(x) && isnan(expected))))
		fail_msg("expected %g between %g and %g, came %g", expected, low, high, x);
	assert_true(y == x || (isnan(x) && isnan(y)));
}

/* Multiples of the grain from where it begins, both sides of each bound. */
static void numbers_lie_on_the_grain(void **state)
{
	const struct resolution whole = { .grain = 1, .ratio = 1 },
				odd = { .from = 3, .grain = 16, .ratio = 1 },
				eights = { .from = 16, .grain = 8, .ratio = 1 },
				eights_coarse = { .from = 16, .grain = 8, .ratio = 1.5 },
				coarse = { .grain = 64, .ratio = 1.5 };

	(void)state;
	expect_next(3 + 48 * 16, 3 + 26 * 16, 3 + 60 * 16, &odd);
	expect_next(NAN, 3 + 38 * 16, 3 + 39 * 16, &odd);
	expect_next(16 + 26 * 8, 16 + 25 * 8, 16 + 29 * 8, &eights);
	expect_next(NAN, 208, 312, &eights_coarse);
	expect_next(16 + 32 * 8, 208, 320, &eights_coarse);
	expect_next(21, 20, 22, &whole);
	expect_next(8, 1, 31, &whole);
	expect_next(NAN, 1, 2, &whole);
	expect_next(2, 1, 3, &whole);
	expect_next(NAN, 0, 3, &whole);
	expect_next(NAN, -1, 3, &whole);
	expect_next(NAN, 3, 3, &whole);
	expect_next(12, 8, 16, &whole);
	expect_next(12, 9, 16, &whole);
	expect_next(1000, 999, 1001, &whole);
	expect_next(35, 19, 51, &odd);
	expect_next(NAN, 19, 35, &odd);
	expect_next(35, 34, 36, &odd);
	expect_next(NAN, 36, 50, &odd);
	expect_next(35, 34, 52, &odd); /* none in the middle part: the nearest to it */
	expect_next(51, 34.9, 53.5, &odd);
	expect_next(3 + 21 * 16, 316.6, 358.2, &odd); /* the only one there */
	expect_next(NAN, 128, 192, &coarse);          /* as close as was asked for */
	expect_next(192, 128, 256, &coarse);
	expect_next(NAN, 129, 190, &coarse);
}

static void what_is_not_resolved_has_no_next(void **state)
{
	const struct resolution whole = { .grain = 1, .ratio = 1 };
	struct estimate e = not_resolved("a reason");

	(void)state;
	e.low = 8;
	e.high = 16;
	assert_true(isnan(infer_bisect_bracket(&e, &whole)));
}

/* The level ends between the last two counts, or between the first two. */
static void the_outermost_gaps_are_looked_into(void **state)
{
	const struct resolution to = { .grain = 1, .ratio = 1 };
	struct point last[9], first[9];
	double next[16];

	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		last[i] = (struct point){ 4 << i, i < 8 ? 0 : 7 };
		first[i] = (struct point){ 4 << i, i < 1 ? 0 : 7 };
	}
	assert_int_equal(1, infer_bisect_staircase(last, 9, &entry_rules, &to, next, 16));
	assert_true(next[0] == 768);
	assert_int_equal(1, infer_bisect_staircase(first, 9, &entry_rules, &to, next, 16));
	assert_true(next[0] == 6);
	assert_int_equal(0, infer_bisect_staircase(last, 9, &entry_rules, &to, next, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_lie_on_the_grain),
		cmocka_unit_test(what_is_not_resolved_has_no_next),
		cmocka_unit_test(the_outermost_gaps_are_looked_into),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
