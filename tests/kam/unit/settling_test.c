/* SPDX-License-Identifier: MIT */
/* The calls that count while a loop has not settled. */
#include "tests/kam/judge/settling.h"
#include "tests/unit/test.h"

#define CLOSE 1e-9

/* Gives calls until no other is wanted; how many were taken. */
static unsigned take(struct settling *s, const double *calls, unsigned n)
{
	unsigned i = 0;

	*s = (struct settling){ 0 };
	while (i < n && settling_goes_on(s, calls[i++]))
		;
	return i;
}

/* The first two differ by more than the engine bears; from the third on nothing moves. */
TEST(test_calls_that_stand_still)
{
	static const double calls[] = { 10, 14, 14, 14, 99 };
	struct settling s;

	assert_int_equal(take(&s, calls, 5), 3);
	assert_float_equal(s.low, 14, CLOSE);
	assert_float_equal(s.high, 14, CLOSE);
}

/* The engine may stop at the second call, 2 % below the first one: all from there on count. */
TEST(test_calls_that_go_on_moving)
{
	static const double calls[] = { 15, 14.8, 14.6, 14.4, 14.3, 14.295, 99 };
	struct settling s;

	assert_int_equal(take(&s, calls, 7), 6);
	assert_float_equal(s.low, 14.295, CLOSE);
	assert_float_equal(s.high, 14.8, CLOSE);
}

/* A loop that never settles: the engine takes the last of its calls, and so does this. */
TEST(test_calls_that_never_settle)
{
	double calls[20];
	struct settling s;

	for (unsigned i = 0; i < 20; i++)
		calls[i] = i % 2 ? 10 : 20;
	assert_int_equal(take(&s, calls, 20), CALLS_MOST);
	assert_float_equal(s.low, 20, CLOSE);
	assert_float_equal(s.high, 20, CLOSE);
}
