/* SPDX-License-Identifier: MIT */
/* What the engine makes of the samples of a row, on samples that are stated. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "engine/find.h"
#include "engine/row_samples.h"

#define TSC_HZ 2e9

static const struct row row = { .unit = &unit_ns_load };
static struct samples s;

static int reset(void **state)
{
	(void)state;
	memset(&s, 0, sizeof s);
	return 0;
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

static void near(const char *what, double expected, double came)
{
	if (!(fabs(came - expected) <= 1e-9 * fabs(expected) + 1e-12))
		fail_msg("%s: expected %.12g, came %.12g", what, expected, came);
}

/* Two samples of three are 5 % longer by what disturbed them: 230 ns are not 241. */
static void the_median_is_over_the_undisturbed(void **state)
{
	struct result r;

	(void)state;
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

static void too_few_undisturbed_are_not_believed(void **state)
{
	struct result r;

	(void)state;
	for (unsigned i = 0; i < 90; i++) /* one in five: 18 of 90, below a quarter */
		take(i % 5 ? 240 : 230, 3e9, i % 5);
	r = summary(false);
	near("median", 240, r.median);
	near("undisturbed", 0, r.undisturbed);
	reset(state);
	for (unsigned i = 0; i < 9; i++) /* six of nine: more than a quarter, fewer than seven */
		take(i < 6 ? 230 : 240, 3e9, i >= 6);
	r = summary(false);
	near("disturbed", 3, r.disturbed);
	near("undisturbed", 0, r.undisturbed);
}

static void a_row_about_disturbances_has_all(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 90; i++)
		take(i % 3 ? 240 : 230, 3e9, i % 3);
	near("median", 240, summary(true).median);
}

/* 10 cycles, half of the time at 2 and half at 3 GHz: the product of two medians says 10.4. */
static void cycles_are_by_the_clock_of_each_sample(void **state)
{
	struct result r;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		double hz = i % 2 ? 2e9 : 3e9;

		take(10e9 / hz, hz, false);
	}
	r = summary(false);
	near("cycles", 10, r.cycles);
	near("the other way", 10.41666666666667, r.median * r.core_hz / 1e9);
}

static struct result measured(double median, double mad, double samples, double disturbed,
	double undisturbed)
{
	return (struct result){ .row = &row,
		.median = median,
		.mad = mad,
		.samples = samples,
		.disturbed = disturbed,
		.undisturbed = undisturbed,
		.core_hz = 3e9 };
}

static void doubt_grows_with_scatter_and_disturbance(void **state)
{
	struct result quiet = measured(100, 0, 256, 0, 0), wide = measured(100, 5, 256, 0, 0);
	struct result left_out = measured(100, 0, 256, 128, 128);
	struct result mixed = measured(100, 0, 256, 128, 0);
	struct result absurd = measured(0, 1, 256, 0, 0);

	(void)state;
	near("quiet", 0, row_doubt(&quiet));
	near("MAD of 5 %", 0.15, row_doubt(&wide));
	near("half disturbed, left out", 0.05, row_doubt(&left_out));
	near("half disturbed, in the median", 0.25, row_doubt(&mixed));
	near("a median of 0", 1, row_doubt(&absurd));
	near("sure of it", 0.95, row_confidence(&quiet));
	near("and not", 0.1, row_confidence(&absurd));
}

static void doubt_grows_with_the_spread_of_the_clock(void **state)
{
	struct result rows[11];
	struct curve c = { .n = 11 };

	(void)state;
	for (unsigned i = 0; i < 11; i++) {
		rows[i] = measured(100, 0, 256, 0, 0);
		c.from[i] = &rows[i];
	}
	near("one clock", 0, curve_doubt(&c, 0, 10));
	for (unsigned i = 0; i < 11; i++)
		rows[i].core_hz = 2e9 + 1e8 * i; /* 2.1 to 2.9 GHz without the ends */
	near("2 to 3 GHz", 0.5, curve_doubt(&c, 0, 10));
	for (unsigned i = 0; i < 11; i++)
		rows[i].core_hz = 2e9 + 1e7 * i;
	near("2.00 to 2.10 GHz", 2 * 0.08 / 2.05, curve_doubt(&c, 0, 10));
	for (unsigned i = 0; i < 11; i++)
		rows[i].core_hz = 0;
	near("no clock known", 0, curve_doubt(&c, 0, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_median_is_over_the_undisturbed, reset),
		cmocka_unit_test_setup(too_few_undisturbed_are_not_believed, reset),
		cmocka_unit_test_setup(a_row_about_disturbances_has_all, reset),
		cmocka_unit_test_setup(cycles_are_by_the_clock_of_each_sample, reset),
		cmocka_unit_test(doubt_grows_with_scatter_and_disturbance),
		cmocka_unit_test(doubt_grows_with_the_spread_of_the_clock),
	};

	return cmocka_run_group_tests_name("row_samples", tests, NULL, NULL);
}
