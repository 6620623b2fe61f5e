/* SPDX-License-Identifier: MIT */
/* The engine's results from stated samples of a row. */
#include "engine/measure.c"
#include "engine/probe_api.h"
#include "lib/stats.h"
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

/* The bounds of the rules for samples: selection, two modes, drift, likeness. */

/* `n` values of each of a list, in its order; then all are chosen. */
static void take_each(unsigned n, const double *values, unsigned count)
{
	memset(&s, 0, sizeof s);
	for (unsigned v = 0; v < count; v++)
		for (unsigned i = 0; i < n; i++)
			take(values[v], 2e9, false);
	samples_choose(&s, true);
}

#define TAKE_EACH(n, ...)                                                                          \
	take_each(n, (const double[]){ __VA_ARGS__ },                                              \
		sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static void expect_unsteady(const char *what, const char *expected)
{
	const char *came = samples_unsteady(&s);

	if (strcmp(came ? came : "steady", expected))
		fail_msg("%s: expected %s, came %s", what, expected, came ? came : "steady");
}

TEST(seven_and_a_quarter_are_enough)
{
	for (unsigned i = 0; i < 28; i++)
		take(i, 2e9, i >= 7);
	samples_choose(&s, false);
	assert_int_equal(7, s.nchosen);
	assert_int_equal(6, s.chosen[6]);
	s.flagged[6] = true;
	near("undisturbed", 0, summary(false).undisturbed);
	assert_int_equal(28, s.nchosen);
	for (unsigned i = 0; i < 28; i++)
		assert_int_equal(i, s.chosen[i]);
	s.from = 14;
	samples_choose(&s, false);
	assert_int_equal(14, s.nchosen);
	assert_int_equal(14, s.chosen[0]);
}

TEST(a_steady_row_stops)
{
	for (unsigned i = 0; i < 14; i++)
		take(around(100, i), 3e9, false);
	assert_true(settled());
	expect_unsteady("scatter of 0.2 %", "steady");
	TAKE_EACH(64, 100);
	expect_unsteady("all the same", "steady");
	assert_true(settled());
	near("effective", 64, samples_effective(&s));
}

/* Three of four samples at 100: the notch rule alone says 0.0 %, and would have stopped. */
TEST(two_modes_do_not_stop)
{
	for (unsigned i = 0; i < 40; i++)
		take(around(i % 4 == 3 ? 110 : 100, i), 3e9, false);
	assert_false(settled());
	expect_unsteady("100 and 110", "two-modes");
	TAKE_EACH(20, 20, 22);
	s.step = 0.5;
	expect_unsteady("four steps of the TSC apart", "steady");
	s.step = 0.4;
	expect_unsteady("five steps", "two-modes");
}

/* A fifth of the samples and one is a mode, at either end; what is less is outliers. */
TEST(a_mode_has_a_fifth_of_the_samples)
{
	TAKE_EACH(4, 100, 100, 100, 100, 110);
	expect_unsteady("4 of 20 above", "steady");
	take(110, 2e9, false);
	samples_choose(&s, true);
	expect_unsteady("5 of 21 above", "two-modes");
	TAKE_EACH(4, 110, 110, 110, 110, 100);
	expect_unsteady("4 of 20 below", "steady");
	take(100, 2e9, false);
	samples_choose(&s, true);
	expect_unsteady("5 of 21 below", "two-modes");
}

/* Middles 10 apart with a MAD of 1 within: 5 sigma of 1.4826 are 7.4; of 1.5, 11.1. */
TEST(modes_are_apart_by_five_sigma)
{
	TAKE_EACH(4, 99, 100, 101, 109, 110, 111);
	expect_unsteady("10 apart, 1 within", "two-modes");
	TAKE_EACH(4, 98.5, 100, 101.5, 108.5, 110, 111.5);
	assert_true(strcmp(samples_unsteady(&s), "two-modes") != 0);
	TAKE_EACH(4, 98, 100, 102, 110, 110, 110);
	expect_unsteady("10 apart, 2 within one: 10.5", "drift");
	TAKE_EACH(4, 98.2, 100, 101.8, 110, 110, 110);
	expect_unsteady("1.8 within one: 9.4", "two-modes");
}

TEST(parts_of_one_percent_are_one)
{
	TAKE_EACH(10, 199, 201); /* 2 is 1 % of their middle */
	expect_unsteady("1 %", "steady");
	TAKE_EACH(10, 198.9, 201);
	expect_unsteady("more", "two-modes");
}

TEST(fewer_than_fourteen_say_nothing)
{
	TAKE_EACH(7, 100, 110);
	expect_unsteady("14 samples", "two-modes");
	s.nchosen = 13;
	expect_unsteady("13", "steady");
}

/* Standard errors of the medians: 1.2533 MADs of sigma over the root of half of the samples. */
TEST(a_drift_is_of_four_errors)
{
	static const double scatter[8] = { -3, 1, -1, 3, 2, -2, 0.5, -0.5 };
	const struct {
		double by, first, last; /* scatter of the halves */
		const char *expected;
	} cases[] = { { 4, 1, 1, "drift" }, { 2.5, 1, 1, "steady" }, { -4, 1, 1, "drift" },
		{ 2.5, 0.1, 1, "drift" }, { 1.5, 0.1, 1, "steady" }, { 2.5, 1, 0.1, "drift" },
		{ 1.5, 1, 0.1, "steady" } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		reset();
		for (unsigned at = 0; at < 64; at++)
			take(at < 32 ? 100 + cases[i].first * scatter[at % 8]
				     : 100 + cases[i].by + cases[i].last * scatter[at % 8],
				2e9, false);
		samples_choose(&s, true);
		expect_unsteady(cases[i].by < 0 ? "down" : "up", cases[i].expected);
	}
}

/* n samples with correlation r count as n (1 - r) / (1 + r); by chance 16 change sides 8 times. */
TEST(likeness_is_by_the_changes_of_sides)
{
	static const struct {
		const char *sides;
		double r;
	} cases[] = { { "+-+-+-+-+-+-+-+-", 0 }, { "++--++--++--++--", 1 - 7 / 8. },
		{ "++++----++++----", 1 - 3 / 8. }, { "----++++----++++", 1 - 3 / 8. },
		{ "++++++++--------", 1 - 1 / 8. },
		{ "++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++"
		  "----------------------------------------------------------------------------",
			0.98 },
		{ "+++++++00-------", 1 - 1 / 7. }, { "++++++000-------", 0 }, { "+", 0 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double r = cases[i].r;

		reset();
		for (const char *side = cases[i].sides; *side; side++)
			take(*side == '+' ? 10.5 : *side == '-' ? 9.5 : 10, 2e9, false);
		samples_choose(&s, true);
		near(cases[i].sides, s.n * (1 - r) / (1 + r), samples_effective(&s));
	}
}

TEST(quartiles_are_of_the_chosen)
{
	static const struct unit *const units[] = { &unit_ns_load, &unit_ticks, &unit_gbs };
	static const double per_unit[] = { 2, 2e9 / 4e9, 0 };

	for (unsigned u = 0; u < 3; u++) {
		const struct row row = { .unit = units[u] };
		struct result r = { .row = &row };

		reset();
		take(1000, 2e9, true);
		for (unsigned i = 0; i <= 100; i++)
			take(100 + i, 2e9, false);
		samples_choose(&s, false);
		samples_summarise(&s, 4e9, &r);
		assert_true(r.has_quartiles);
		near("lower", 125, r.quartile[0]);
		near("upper", 175, r.quartile[1]);
		near("lower, in cycles", 125 * per_unit[u], r.quartile_cycles[0]);
		near("upper, in cycles", 175 * per_unit[u], r.quartile_cycles[1]);
		near("cycles", 150 * per_unit[u], r.cycles);
		near("floor", u == 2 ? 190 : 110, r.floor);
		near("clock", 2e9, r.core_hz);
		near("MAD", 25, r.mad);
		near("least of all", 100, r.min);
		near("most of all", 1000, r.max);
		near("outliers of all", 1, r.outliers);
		near("disturbed", 1, r.disturbed);
		near("undisturbed", 101, r.undisturbed);
	}
}

/* The order in which samples were taken is none of their quartiles' and floors'. */
TEST(samples_may_fall)
{
	for (unsigned i = 0; i <= 100; i++)
		take(300 - i, 2e9, false);
	near("median", 250, samples_median(&s, true));
	struct result r = summary(false);

	near("lower quartile", 225, r.quartile[0]);
	near("upper quartile", 275, r.quartile[1]);
	near("floor", 210, r.floor);
	near("floor, cycles", 420, r.floor_cycles);
	near("cycles", 500, r.cycles);
}

TEST(a_full_row_has_no_more_samples)
{
	for (unsigned i = 0; i < SAMPLES_LIMIT; i++)
		take(100, 2e9, false);
	near("median", 100, samples_median(&s, false));
	assert_int_equal(SAMPLES_LIMIT, s.nchosen);
	assert_true(samples_settled(&s));
	struct result r = summary(false);

	near("samples", SAMPLES_LIMIT, r.samples);
	near("floor", 100, r.floor);
	near("upper quartile", 100, r.quartile[1]);
}

/* Flags of earlier samples and of none decide nothing; those of this placement do. */
TEST(only_its_own_flags_keep_it_going)
{
	for (unsigned i = 0; i < 14; i++)
		take(100, 2e9, i < 7);
	s.flagged[14] = true;
	s.from = 7;
	samples_choose(&s, false);
	assert_true(samples_settled(&s));
	s.flagged[8] = true;
	samples_choose(&s, false);
	assert_false(samples_settled(&s));
}
