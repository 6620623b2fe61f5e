/* SPDX-License-Identifier: MIT */
/* What samples say at the bounds of its rules: which are taken, two modes, drift, likeness. */
#include <string.h>

#include "engine/probe_api.h"
#include "engine/measure.h"
#include "tests/unit/near.h"
#include "tests/unit/test.h"

static struct samples s;

BEFORE_EACH(reset)
{
	memset(&s, 0, sizeof s);
}

static void take(double value, bool flagged)
{
	s.values[s.n] = value;
	s.core_hz[s.n] = 2e9;
	s.flagged[s.n++] = flagged;
}

/* `n` values of each of a list, in its order; then all are chosen. */
static void take_each(unsigned n, const double *values, unsigned count)
{
	memset(&s, 0, sizeof s);
	for (unsigned v = 0; v < count; v++)
		for (unsigned i = 0; i < n; i++)
			take(values[v], false);
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
		take(i, i >= 7);
	samples_choose(&s, false);
	assert_int_equal(7, s.nchosen);
	assert_int_equal(6, s.chosen[6]);
	s.flagged[6] = true;
	samples_choose(&s, false);
	assert_int_equal(28, s.nchosen);
	for (unsigned i = 0; i < 28; i++)
		assert_int_equal(i, s.chosen[i]);
	s.from = 14;
	samples_choose(&s, false);
	assert_int_equal(14, s.nchosen);
	assert_int_equal(14, s.chosen[0]);
}

/* A fifth of the samples and one is a mode, at either end; what is less is outliers. */
TEST(a_mode_has_a_fifth_of_the_samples)
{
	TAKE_EACH(4, 100, 100, 100, 100, 110);
	expect_unsteady("4 of 20 above", "steady");
	take(110, false);
	samples_choose(&s, true);
	expect_unsteady("5 of 21 above", "two-modes");
	TAKE_EACH(4, 110, 110, 110, 110, 100);
	expect_unsteady("4 of 20 below", "steady");
	take(100, false);
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
				false);
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
			take(*side == '+' ? 10.5 : *side == '-' ? 9.5 : 10, false);
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
		take(1000, true);
		for (unsigned i = 0; i <= 100; i++)
			take(100 + i, false);
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

static struct result summary(void)
{
	static const struct row row = { .unit = &unit_ns_load };
	struct result r = { .row = &row };

	samples_summarise(&s, 1e9, &r);
	return r;
}

/* The order in which samples were taken is none of their quartiles' and floors'. */
TEST(samples_may_fall)
{
	for (unsigned i = 0; i <= 100; i++)
		take(300 - i, false);
	near("median", 250, samples_median(&s, true));
	struct result r = summary();

	near("lower quartile", 225, r.quartile[0]);
	near("upper quartile", 275, r.quartile[1]);
	near("floor", 210, r.floor);
	near("floor, cycles", 420, r.floor_cycles);
	near("cycles", 500, r.cycles);
}

TEST(a_full_row_has_no_more_samples)
{
	for (unsigned i = 0; i < SAMPLES_LIMIT; i++)
		take(100, false);
	near("median", 100, samples_median(&s, false));
	assert_int_equal(SAMPLES_LIMIT, s.nchosen);
	assert_true(samples_settled(&s));
	struct result r = summary();

	near("samples", SAMPLES_LIMIT, r.samples);
	near("floor", 100, r.floor);
	near("upper quartile", 100, r.quartile[1]);
}

/* Flags of earlier samples and of none decide nothing; those of this placement do. */
TEST(only_its_own_flags_keep_it_going)
{
	for (unsigned i = 0; i < 14; i++)
		take(100, i < 7);
	s.flagged[14] = true;
	s.from = 7;
	samples_choose(&s, false);
	assert_true(samples_settled(&s));
	s.flagged[8] = true;
	samples_choose(&s, false);
	assert_false(samples_settled(&s));
}
