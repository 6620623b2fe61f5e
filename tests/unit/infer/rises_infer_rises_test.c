/* SPDX-License-Identifier: MIT */
/* Where a speed-up saturates, and where a rise is soft, at the bounds of their rules. */
#include "infer/infer.h"
#include "tests/unit/estimates.h"
#include "tests/unit/near.h"
#include "tests/unit/test.h"

#include <string.h>

static struct point p[16];

static unsigned points(unsigned n, const double *x, const double *y)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (struct point){ x ? x[i] : i + 1, y[i] };
	return n;
}

#define COUNT(...)   (sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))
#define LANES(...)   points(COUNT(__VA_ARGS__), NULL, (const double[]){ __VA_ARGS__ })
#define HEIGHTS(...) points(COUNT(__VA_ARGS__), x, (const double[]){ __VA_ARGS__ })

static void expect_saturation(unsigned n, double value, double low, double high)
{
	struct estimate e = infer_saturation(p, n);

	if (e.reason || e.value != value || e.low != low || e.high != high)
		fail_with("expected another speed-up", p, n, e);
	near("confidence", 1 / (1 + (high - low) / value), e.confidence);
}

static void expect_none(unsigned n, const char *reason)
{
	struct estimate e = infer_saturation(p, n);

	if (!e.reason || strcmp(e.reason, reason)) {
		print_message("expected '%s'\n", reason);
		fail_with("it was not refused for this reason", p, n, e);
	}
}

static const char grows[] = "grows up to the most lanes tried";

TEST(a_plateau_of_speed_ups)
{
	expect_saturation(LANES(1, 2, 2, 2), 2, 2, 2);
	expect_saturation(LANES(1, 2, 2.1, 1.96, 2.04), (2 + 2.04) / 2, 1.96, 2.1);
	expect_none(LANES(1, 2, 2), "too few points");
	expect_none(LANES(0, 2, 2, 2), "points that are no speed-ups");
	expect_none(LANES(1, 2, 2, -2), "points that are no speed-ups");
	expect_none(LANES(1, 2, NAN, 2), "points that are no numbers");
	expect_none(LANES(1, 2, 4, 8, 16), "the speed-up has no plateau");
	expect_saturation(LANES(1, 2, 2, 2, 2.99, 2, 2), 2, 2, 2.99);
	expect_none(LANES(1, 2, 2, 2, 3.01, 2, 2), "scatters too much");
	expect_saturation(LANES(1, 2, 2, 2, 2, 1.85, 1.85), 2, 2, 2); /* falls at the end */
	expect_saturation(LANES(1, 2, 2, 2, 2, 1.87, 1.87), 2, 1.87, 2);
}

/* Two high points are the height of a short curve, and nothing to one of twelve points. */
TEST(the_height_of_short_and_long_curves)
{
	expect_none(LANES(1, 2, 2, 2, 2, 3, 3, 2, 2, 2, 2), "the speed-up has no plateau");
	expect_saturation(LANES(1, 2, 2, 2, 2, 3, 3, 2, 2, 2, 2, 2), 2, 2, 3);
}

/* Lanes 15 % above the value, and 20 % above the plateau's first; an elasticity of a quarter. */
TEST(what_still_grows)
{
	static const double few[] = { 1, 2, 3.3, 3.6, 4 }, short_one[] = { 1, 2, 3.4, 3.7, 4 };
	static const double wide[] = { 2, 4, 8, 10, 12 };
	const double *x = few;

	expect_saturation(HEIGHTS(1, 2, 3.47, 3.47, 3.47), 3.47, 3.47, 3.47);
	expect_none(HEIGHTS(1, 2, 3.48, 3.48, 3.48), grows);
	expect_saturation(HEIGHTS(1, 2, 3, 3, 3), 3, 3, 3);
	x = short_one;
	expect_none(HEIGHTS(1, 2, 3, 3, 3), grows);
	x = wide;
	for (unsigned i = 0; i < 2; i++) {
		double power = i ? 0.26 : 0.24;
		double first = 5 * pow(0.8, power), last = 5 * pow(1.2, power);
		unsigned n = HEIGHTS(2, 4, first, 5, last);

		if (i)
			expect_none(n, grows);
		else
			expect_saturation(n, 5, first, last);
	}
	x = (const double[]){ 0.5, 1.5, 1.9, 2.1, 2.3 };
	expect_saturation(HEIGHTS(0.5, 1.5, 2, 2, 2), 2, 2, 2); /* 15 % more are enough */
	x = wide;
	/* a scatter that allows for a quarter: 0.3 less two standard errors */
	expect_saturation(HEIGHTS(2, 4, 4.7, 4.9, 5.3), 4.9, 4.7, 5.3);
}

/* Four points of a plateau, the middle ones below a line of logarithms and the others above. */
static void expect_slope(double slope, bool is_growth)
{
	static const double away[] = { 0.01, -0.01, -0.01, 0.01 };

	points(2, (const double[]){ 2, 4 }, (const double[]){ 2, 4 });
	for (unsigned i = 0; i < 4; i++)
		p[2 + i] = (struct point){ 8 * exp(0.075 * i),
			4.8 * exp(slope * 0.075 * i + away[i]) };
	struct estimate e = infer_saturation(p, 6);

	if (is_growth)
		expect_none(6, grows);
	else if (e.reason)
		fail_with("expected a speed-up", p, 6, e);
}

/* Two standard errors: 0.169 here. */
TEST(scatter_is_no_growth)
{
	expect_slope(0.41, false);
	expect_slope(0.43, true);
}

TEST(the_ends_of_a_plateau)
{
	expect_saturation(LANES(1, 1.86, 2, 2, 2), 2, 1.86, 2); /* 93 % are enough */
	expect_saturation(LANES(1, 2, 2, 2, 1.86, 1.86), 2, 1.86, 2);
	expect_saturation(LANES(1.9, 2, 2, 2), 2, 1.9, 2);
	expect_saturation(LANES(0.1, 0.2, 0.2, 0.2), 0.2, 0.2, 0.2);
	expect_none(LANES(2.2, 2.2, 2, 2, 2), "the speed-up has no plateau");
	expect_saturation(LANES(1, 2.3, 1.2, 2.1, 2.1, 2.2), 2.1, 1.2, 2.2); /* 2.3 is not on it */
}

static void expect_soft(unsigned n, struct estimate e, const double rise[3], double low,
	double high)
{
	struct estimate came = infer_soft_rise(p, n, e);

	near("value", e.value, came.value);
	near("10 %", rise[0], came.rise_10);
	near("50 %", rise[1], came.rise_50);
	near("90 %", rise[2], came.rise_90);
	near("low", low, came.low);
	near("high", high, came.high);
	near("confidence",
		e.confidence * (1 + 0.25 * log2(e.high / e.low)) / (1 + 0.25 * log2(high / low)),
		came.confidence);
}

static void expect_as_it_was(unsigned n, struct estimate e)
{
	struct estimate came = infer_soft_rise(p, n, e);

	assert_memory_equal(&e, &came, sizeof e);
}

/* The places lie between two points, in proportion on a logarithmic scale. */
TEST(a_soft_rise_has_its_range)
{
	static const double x[] = { 8, 16, 24, 32, 40, 48, 56, 64 };
	const double rise[] = { 16 * sqrt(24 / 16.), 32 * sqrt(40 / 32.), 48 * sqrt(56 / 48.) };
	struct estimate e = resolved(32, 32, 40, 0.8), wide = resolved(32, 8, 64, 0.8), none;
	unsigned n = HEIGHTS(0, 0, 2, 4, 6, 8, 10, 10);

	expect_soft(n, e, rise, 16, 56);
	expect_soft(n, wide, rise, 8, 64);
	none = not_resolved("a reason");
	none.low = 32;
	none.high = 40;
	expect_as_it_was(n, none);
	expect_as_it_was(4, e);
	n = HEIGHTS(0, 9, 0, 2, 4, 6, 8, 10); /* one point that is no cost */
	expect_soft(n, e,
		(double[]){ 16 * sqrt(24 / 16.), 40 * sqrt(48 / 40.), 56 * sqrt(64 / 56.) }, 16,
		64);
	n = HEIGHTS(3, 3, 3.2, 3.4, 3.6, 3.8, 4,
		4); /* the same above another level, a tenth as high */
	expect_soft(n, e, rise, 16, 56);
	p[4].y = NAN;
	expect_as_it_was(8, e);
}

/* Two points within the rise, more than a factor of 1.3 apart. */
TEST(a_short_rise_is_no_range)
{
	static const double apart[] = { 10, 20, 26.1, 40, 80 }, near_by[] = { 10, 20, 26, 40, 80 };
	const double *x = apart;
	struct estimate e = resolved(20, 20, 30, 0.8);

	expect_soft(HEIGHTS(0, 3, 7, 10, 10), e,
		(double[]){
			10 * exp2(1 / 3.), 20 * sqrt(26.1 / 20), 26.1 * pow(40 / 26.1, 2 / 3.) },
		10, 40);
	expect_as_it_was(HEIGHTS(0, 0, 5, 10, 10), e);
	expect_as_it_was(HEIGHTS(0, 0, 5, 9.5, 10), e);
	x = near_by;
	expect_as_it_was(HEIGHTS(0, 3, 7, 10, 10), e);
}
