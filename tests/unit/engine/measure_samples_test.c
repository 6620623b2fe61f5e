/* SPDX-License-Identifier: MIT */
/* What the engine makes of the samples of a row, on samples that are stated. */
#include <string.h>

#include "engine/probe_api.h"
#include "engine/measure.h"
#include "lib/stats.h"
#include "tests/unit/near.h"
#include "tests/unit/test.h"

#define TSC_HZ 2e9

static const struct row row = { .unit = &unit_ns_load };
static struct samples s;

BEFORE_EACH(reset)
{
	memset(&s, 0, sizeof s);
}

static void take(double value, double core_hz, bool flagged)
{
	assert_true(s.n < SAMPLES_LIMIT);
	s.values[s.n] = value;
	s.core_hz[s.n] = core_hz;
	s.flagged[s.n++] = flagged;
}

static struct result summary(bool all)
{
	struct result r = { .row = &row };

	samples_choose(&s, all);
	samples_summarise(&s, TSC_HZ, &r);
	return r;
}

/* Two samples of three are 5 % longer by what disturbed them: 230 ns are not 241. */
TEST(the_median_is_over_the_undisturbed)
{
	struct result r;

	for (unsigned i = 0; i < 90; i++)
		take(i % 3 ? 241.5 + i % 5 : 230, 3e9, i % 3);
	r = summary(false);
	near("median", 230, r.median);
	near("p10", 230, r.p10);
	near("mad", 0, r.mad);
	near("cycles", 690, r.cycles);
	near("undisturbed", 30, r.undisturbed);
	near("disturbed", 60, r.disturbed);
	near("max, over all", 245.5, r.max);
	near("samples, all", 90, r.samples);
	assert_true(r.mean > 235 && r.p90 > 240);
}

/* Seven samples of which two are clean: 28 may hold seven clean ones, so that it goes on. */
TEST(a_disturbed_row_waits_for_clean_samples)
{
	for (unsigned i = 0; i < 7; i++)
		take(242, 3e9, i % 3 != 0);
	samples_choose(&s, false);
	assert_false(samples_settled(&s));
	reset();
	for (unsigned i = 0; i < 28; i++)
		take(242, 3e9, true);
	samples_choose(&s, false);
	assert_true(samples_settled(&s));
}

/* An earlier row had a disturbed sample more. */
TEST(only_the_samples_of_this_row_count)
{
	for (unsigned i = 0; i < 9; i++)
		take(230, 3e9, i == 3);
	s.flagged[s.n] = true;
	near("disturbed", 1, summary(false).disturbed);
}

TEST(the_floor_is_the_fast_end)
{
	static const struct row rate = { .unit = &unit_gbs };
	struct result r = { .row = &rate };

	for (unsigned i = 0; i <= 100; i++)
		take(100 + i, 3e9, false);
	near("time", 110, summary(false).floor);
	near("its cycles", 330, summary(false).floor_cycles);
	samples_summarise(&s, TSC_HZ, &r);
	near("rate", 190, r.floor);
}

/* 60 above a control of 10. One of five controls was disturbed: it makes the difference smaller. */
TEST(the_floor_of_a_difference_is_that_of_both)
{
	for (unsigned i = 0; i < 50; i++) {
		s.control[s.n] = i % 5 ? 10 : 22;
		take(70 - s.control[s.n], 3e9, false);
	}
	near("p10", 48, summary(false).p10);
	near("floor", 60, summary(false).floor);
	near("its cycles", 180, summary(false).floor_cycles);
}

TEST(too_few_undisturbed_are_not_believed)
{
	struct result r;

	for (unsigned i = 0; i < 90; i++) /* one in five: 18 of 90, below a quarter */
		take(i % 5 ? 240 : 230, 3e9, i % 5);
	r = summary(false);
	near("median", 240, r.median);
	near("undisturbed", 0, r.undisturbed);
	reset();
	for (unsigned i = 0; i < 9; i++) /* six of nine: more than a quarter, fewer than seven */
		take(i < 6 ? 230 : 240, 3e9, i >= 6);
	r = summary(false);
	near("disturbed", 3, r.disturbed);
	near("undisturbed", 0, r.undisturbed);
}

TEST(a_row_about_disturbances_has_all)
{
	for (unsigned i = 0; i < 90; i++)
		take(i % 3 ? 240 : 230, 3e9, i % 3);
	near("median", 240, summary(true).median);
}

/* 10 cycles, half of the time at 2 and half at 3 GHz: the product of two medians says 10.4. */
TEST(cycles_are_by_the_clock_of_each_sample)
{
	struct result r;

	for (unsigned i = 0; i < 100; i++) {
		double hz = i % 2 ? 2e9 : 3e9;

		take(10e9 / hz, hz, false);
	}
	r = summary(false);
	near("cycles", 10, r.cycles);
	near("the other way", 10.41666666666667, r.median * r.core_hz / 1e9);
}

/* Uniform scatter of 0.2 % around a value, deterministic. */
static double around(double value, unsigned i)
{
	return value * (1 + 0.002 * ((double)(i * 2654435761u % 1000) / 1000 - 0.5));
}

static bool settled(void)
{
	samples_choose(&s, false);
	return samples_settled(&s);
}

static void expect_unsteady(const char *what, const char *expected)
{
	const char *came;

	samples_choose(&s, false);
	came = samples_unsteady(&s);
	if (!!came != !!expected || (came && strcmp(came, expected)))
		fail_msg("%s: expected %s, came %s", what, expected ? expected : "steady",
			came ? came : "steady");
}

TEST(a_steady_row_stops)
{
	for (unsigned i = 0; i < 14; i++)
		take(around(100, i), 3e9, false);
	expect_unsteady("scatter of 0.2 %", NULL);
	assert_true(settled());
	reset();
	for (unsigned i = 0; i < 64; i++)
		take(100, 3e9, false);
	expect_unsteady("all the same", NULL);
	assert_true(settled());
	near("effective", 64, samples_effective(&s));
}

/*
 * Three of four samples at 100, one at 110: the notch rule alone says 0.0 % (its quartiles are
 * both in the lower mode), and would have stopped.
 */
TEST(two_modes_do_not_stop)
{
	struct stats st;

	for (unsigned i = 0; i < 40; i++)
		take(around(i % 4 == 3 ? 110 : 100, i), 3e9, false);
	expect_unsteady("100 and 110", "two-modes");
	assert_false(settled());
	reset();
	for (unsigned i = 0; i < 40; i++)
		take(around(i % 10 ? 100 : 110, i), 3e9, false);
	st = stats_of(s.values, s.n, s.scratch[0]);
	assert_true(stats_spread(&st) < 0.005);
	expect_unsteady("one in ten: outliers, no mode", NULL);
	reset();
	for (unsigned i = 0; i < 40; i++)
		take(i % 2 ? 100 : 100.9, 3e9, false);
	expect_unsteady("0.9 % apart", NULL);
	reset();
	s.step = 0.5;
	for (unsigned i = 0; i < 40; i++)
		take(i % 2 ? 20 : 22, 3e9, false);
	expect_unsteady("four steps of the TSC apart", NULL);
	s.step = 0.4;
	expect_unsteady("five steps", "two-modes");
}

TEST(drift_does_not_stop)
{
	struct stats st;

	for (unsigned i = 0; i < 256; i++) /* 3 % from the first to the last */
		take(around(100 + 3 * i / 255., i), 3e9, false);
	st = stats_of(s.values, s.n, s.scratch[0]);
	assert_true(stats_spread(&st) < 0.005);
	expect_unsteady("3 % in 256 samples", "drift");
	assert_false(settled());
	reset();
	for (unsigned i = 0; i < 256; i++)
		take(around(100 + 0.5 * i / 255., i), 3e9, false);
	expect_unsteady("0.5 %", NULL);
}

/* Waves of 16 samples, 4 % high: 64 samples are not 64 observations of the median. */
TEST(alike_neighbours_count_for_fewer)
{
	double effective;
	struct stats st;

	for (unsigned i = 0; i < 160; i++)
		take(100 + 2 * sin(i * 2 * M_PI / 40) + 0.01 * (i % 7), 3e9, false);
	samples_choose(&s, false);
	effective = samples_effective(&s);
	st = stats_of(s.values, s.n, s.scratch[0]);
	if (!(effective > 2 && effective < 20))
		fail_msg("8 half waves: expected to count as 2 to 20 samples, came %g", effective);
	assert_true(stats_spread(&st) <= 0.005);
	assert_false(settled());
}

TEST(p99_is_from_100_samples_on)
{
	for (unsigned i = 0; i < 99; i++)
		take(100 + i, 3e9, false);
	assert_true(isnan(summary(false).p99));
	take(100 + 99, 3e9, false);
	near("p99 of 100", 198.01, summary(false).p99);
}
