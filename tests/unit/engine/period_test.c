/* SPDX-License-Identifier: MIT */
/* The period of moments: found where there is one, the truth in its bracket, and only there. */
#include "engine/infer/infer.h"
#include "lib/math.h"
#include "tests/unit/test.h"

#define MOST  200
#define SEEDS 2000

static double at[MOST], scratch[MOST];
static struct random chance;

/* 0 to 1 */
static double part(void)
{
	return (double)(random_next(&chance) >> 11) / 9007199254740992.0;
}

static struct estimate of_timer(unsigned n, double period, double jitter)
{
	for (unsigned i = 0; i < n; i++)
		at[i] = 1e6 + period * i + jitter * period * (part() - 0.5);
	return infer_period(at, n, scratch);
}

static void expect_none(unsigned n, const char *reason)
{
	struct estimate e = infer_period(at, n, scratch);

	if (!isnan(e.value) || strcmp(e.reason, reason) != 0)
		fail_msg("expected '%s', came %g, '%s'", reason, e.value, e.reason);
}

/* cmocka's comparison takes what is no number for anything. */
static void expect_period(double period, struct estimate e)
{
	if (!(fabs(e.value - period) <= 1e-6 * period))
		fail_msg("expected %g, came %g, '%s'", period, e.value, e.reason);
	if (!(e.low <= period && period < e.high))
		fail_msg("expected %g within %g..%g", period, e.low, e.high);
}

static void reset(void)
{
	random_seed(&chance, 7);
}

BEFORE_EACH(reset);

TEST(a_timer)
{
	struct estimate e = of_timer(9, 1013.7, 0);

	expect_period(1013.7, e);
	assert_true(e.high - e.low < 1013.7 * 3e-5);
	assert_float_equal(0.95, e.confidence, 1e-9);
}

TEST(the_truth_is_in_the_bracket)
{
	unsigned in = 0;

	for (unsigned i = 0; i < SEEDS; i++) {
		struct estimate e = of_timer(9 + i % 100, 47.9, 0.05);

		assert_true(fabs(e.value - 47.9) < 0.5);
		in += e.low <= 47.9 && 47.9 < e.high;
	}
	assert_true(in > SEEDS * 0.99);
}

/*
 * If the errors of intervals are independent, the bracket holds three standard deviations, no more.
 */
TEST(the_bracket_is_as_wide_as_it_should_be)
{
	unsigned in = 0;
	double wide = 0;

	for (unsigned i = 0; i < SEEDS; i++) {
		at[0] = 0;
		for (unsigned k = 1; k < 100; k++)
			at[k] = at[k - 1] + 47.9 * (1 + 0.1 * (part() - 0.5));
		struct estimate e = infer_period(at, 100, scratch);

		in += e.low <= 47.9 && 47.9 < e.high;
		wide += (e.high - e.low) / SEEDS;
	}
	assert_true(in > SEEDS * 0.99);
	assert_true(fabs(wide / (6 * 4.79 / sqrt(12) / sqrt(99)) - 1) < 0.05);
}

/* Each third was not seen, and some in a row were not. */
TEST(some_that_are_missing)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 90; i++)
		if (i % 3 && (i < 40 || i > 55))
			at[n++] = 500.0 * i;
	expect_period(500, infer_period(at, n, scratch));
}

TEST(one_out_of_turn)
{
	of_timer(30, 100, 0);
	memmove(at + 11, at + 10, 20 * sizeof *at);
	at[10] = (at[9] + 3 * at[11]) / 4;
	struct estimate e = infer_period(at, 31, scratch);

	expect_period(100, e);
	assert_float_equal(0.95 * 28 / 30, e.confidence, 1e-9);
}

TEST(more_out_of_turn_are_irregular)
{
	of_timer(30, 100, 0);
	for (unsigned i = 4; i < 20; i += 5)
		at[i] += 30;
	expect_none(30, "irregular: no period");
}

TEST(too_few)
{
	of_timer(8, 100, 0);
	expect_none(8, "too few for a period");
	expect_none(1, "too few for a period");
	expect_none(0, "too few for a period");
}

TEST(all_at_one_moment)
{
	memset(at, 0, sizeof at);
	expect_none(20, "irregular: no period");
}

/* At any time, as radioactive decay; and from half to one and a half of the mean. */
TEST(chance_has_no_period)
{
	unsigned decay = 0, uniform = 0;

	for (unsigned i = 0; i < SEEDS; i++) {
		unsigned n = 9 + i % 60;

		at[0] = 0;
		for (unsigned k = 1; k < n; k++)
			at[k] = at[k - 1] - 100 * log(1 - part());
		decay += !isnan(infer_period(at, n, scratch).value);
		for (unsigned k = 1; k < n; k++)
			at[k] = at[k - 1] + 50 + 100 * part();
		uniform += !isnan(infer_period(at, n, scratch).value);
	}
	assert_int_equal(0, decay);
	assert_int_equal(0, uniform);
}

TEST(two_timers_are_irregular)
{
	unsigned n = 0;

	for (double a = 100, b = 73; n < 60; n++) {
		at[n] = a < b ? a : b;
		if (a < b)
			a += 100;
		else
			b += 73;
	}
	expect_none(60, "irregular: no period");
}
