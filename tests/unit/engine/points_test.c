/* SPDX-License-Identifier: MIT */
/* Functions that all readers of curves use: the points of a curve, the rising fit, usable costs. */
#include "engine/infer/points.c"
#include "lib/stats.h"
#include "tests/unit/test.h"

static struct curve_point p[INFER_POINTS + 1];

/* Points at 1, 2, 3, ... of these heights. */
static unsigned points(unsigned n, const double *y)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (struct curve_point){ i + 1, y ? y[i] : 5 };
	return n;
}

#define POINTS(...)                                                                                \
	points(sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double),                           \
		(const double[]){ __VA_ARGS__ })

static void expect_problem(const char *of_x, const char *of_y, unsigned n, unsigned least)
{
	const char *order = points_order(p, n, least), *problem = points_problem(p, n, least);

	if (!order != !of_x || (order && strcmp(order, of_x)))
		fail_msg("expected '%s', came '%s'", of_x, order);
	if (!problem != !of_y || (problem && strcmp(problem, of_y)))
		fail_msg("with y: expected '%s', came '%s'", of_y, problem);
}

TEST(what_is_a_curve)
{
	static const char few[] = "too few points", absurd[] = "points that are no numbers";

	points(INFER_POINTS + 1, NULL);
	expect_problem(NULL, NULL, 5, 5);
	expect_problem(few, few, 4, 5);
	expect_problem(NULL, NULL, INFER_POINTS, 5);
	expect_broken("n <= INFER_POINTS", points_problem(p, INFER_POINTS + 1, 5));
	for (unsigned at = 0; at < 5; at++) {
		points(5, NULL);
		p[at].y = at & 1 ? INFINITY : NAN;
		expect_problem(NULL, absurd, 5, 5);
		p[at] = (struct curve_point){ at, 5 }; /* the one before, or 0 */
		expect_problem(absurd, absurd, 5, 5);
		p[at].x = NAN;
		expect_problem(absurd, absurd, 5, 5);
	}
	points(5, NULL);
	p[0].x = 1e-9;
	expect_problem(NULL, NULL, 5, 5);
	p[0].x = -1;
	expect_problem(absurd, absurd, 5, 5);
}

static void expect_without_outliers(unsigned n, const double *y, const double *expected)
{
	double clean[8];

	memcpy(clean, y, n * sizeof *y);
	points_remove_outliers(clean, n);
	for (unsigned i = 0; i < n; i++)
		near("without outliers", expected[i], clean[i]);
}

/* Each by its neighbours as they were; the ends stay, and what lasts for two points. */
TEST(single_points_are_outliers)
{
	expect_without_outliers(1, (double[]){ 7 }, (double[]){ 7 });
	expect_without_outliers(2, (double[]){ 7, 1 }, (double[]){ 7, 1 });
	expect_without_outliers(3, (double[]){ 1, 7, 2 }, (double[]){ 1, 2, 2 });
	expect_without_outliers(4, (double[]){ 1, 9, 9, 1 }, (double[]){ 1, 9, 9, 1 });
	expect_without_outliers(5, (double[]){ 9, 1, 2, 0, 5 }, (double[]){ 9, 2, 1, 2, 5 });
	expect_without_outliers(6, (double[]){ 1, 2, 8, 3, 0, 4 }, (double[]){ 1, 2, 3, 3, 3, 4 });
}

TEST(rises_and_falls_are_added)
{
	struct movement m = points_movement((const double[]){ 1, 3, 2, 2, 6, 3 }, 6);

	near("rises", 6, m.up);
	near("falls", 4, m.down);
	m = points_movement((const double[]){ 1, 3 }, 1);
	near("rises", 0, m.up);
	near("falls", 0, m.down);
}

static void expect_line(unsigned first, unsigned last, const double *y, double at, double slope,
	double errors)
{
	struct straight_line l = points_line(p, y, first, last);

	near("at", at, l.at);
	near("slope", slope, l.slope);
	near("errors", errors, l.errors);
}

TEST(lines_of_least_squares)
{
	static const double straight[] = { 99, 8, 11, 14, 17, 99 }, bent[] = { 0, 0, 3 };

	points(6, NULL);
	expect_line(1, 4, straight, 2, 3, 0);
	expect_line(1, 2, straight, 2, 3, 0);
	expect_line(2, 2, straight, 11, 0, 0);
	expect_line(0, 2, bent, -2, 1.5, 1.5);
}

static const struct staircase_rules plain = { .rise = 1.5, .octaves = 1 };

/* A curve of exp(y); the reason why it is no staircase, or "". */
static void expect_fit(unsigned n, const double *y, const char *reason, struct fitted *w)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (struct curve_point){ exp2(i), exp(y[i]) };
	const char *why = infer_fit(w, p, n, &plain);

	if (strcmp(why ? why : "", reason))
		fail_msg("expected '%s', came '%s'", reason, why);
}

/* Those that fall take their mean, with what it takes to rise. */
TEST(the_fit_rises)
{
	static const double y[] = { 0, 0, 2, 2, 1, 1, 3, 3, 1, 1, 5, 5 };
	static const double fit[] = { 0, 0, 1.5, 1.5, 1.5, 1.5, 2, 2, 2, 2, 5, 5 };
	static const double off[] = { 0, 0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1 };
	struct fitted w;

	near("median", 0.25, (off[5] + off[6]) / 2);
	expect_fit(12, y, "does not rise steadily", &w); /* a quarter is above or below by a half */
	for (unsigned i = 0; i < 12; i++) {
		near("x", i, w.x[i]);
		near("raw", y[i], w.raw[i]);
		near("fit", fit[i], w.fit[i]);
	}
	assert_int_equal(12, w.n);
	near("noise", MAD_TO_SIGMA * 0.5, w.noise);
	near("rise", log(1.5), w.rise);
	near("offset", 0, w.offset);
	expect_fit(9, (double[]){ 1, 0, 0, 0, 3, 3, 3, 3, 3 }, "", &w); /* the first one falls */
	for (unsigned i = 0; i < 9; i++)
		near("fit", i < 4 ? 0.25 : 3, w.fit[i]);
}

TEST(a_curve_ends_at_what_is_absurd)
{
	static const struct staircase_rules with_offset = { .offset = 3, .rise = 2, .octaves = 1 };
	struct fitted w;

	POINTS(-2, -2, 1, 1, 1, 1, -3, 1);
	assert_null(infer_fit(&w, p, 8, &with_offset));
	assert_int_equal(6, w.n);
	near("offset", 3, w.offset);
	near("raw", 0, w.raw[1]);
	near("raw", log(4), w.raw[2]);
	p[5].y = INFINITY;
	assert_null(infer_fit(&w, p, 8, &with_offset));
	assert_int_equal(5, w.n);
	p[4].y = NAN;
	assert_string_equal("points that are no numbers", infer_fit(&w, p, 8, &with_offset));
	assert_int_equal(4, w.n);
	near("noise", 0, w.noise);
	w.noise = 7;
	assert_string_equal("too few points", infer_fit(&w, p, 4, &with_offset));
	near("noise", 0, w.noise);
}

/* Twenty points of each of two levels, 2 apart, with a hump between that falls by so much. */
static void expect_hump(double fall, const char *reason)
{
	double y[44] = { 0 };
	struct fitted w;

	for (unsigned i = 20; i < 44; i++)
		y[i] = i < 22 ? 1 : i < 24 ? 1 - fall : 2;
	expect_fit(44, y, reason, &w);
	near("noise", 0, w.noise);
}

/* Six points of each of two levels, 10 apart, every second one above and below by so much. */
static void expect_noise(double noise, const char *reason)
{
	double y[12];
	struct fitted w;

	for (unsigned i = 0; i < 12; i++)
		y[i] = (i < 6 ? 0 : 10) + (i & 1 ? -noise : noise);
	expect_fit(12, y, reason, &w);
	near("noise", MAD_TO_SIGMA * noise, w.noise);
}

TEST(a_staircase_rises_steadily)
{
	double level[10] = { 0 };
	struct fitted w;

	expect_hump(1.33, ""); /* 0.4 of 2 + 1.333 */
	expect_hump(1.34, "does not rise steadily");
	expect_noise(0.1, "");
	expect_noise(0.102, "does not rise steadily");
	for (unsigned i = 5; i < 10; i++)
		level[i] = log(1.499);
	expect_fit(10, level, "the curve is flat", &w);
	for (unsigned i = 5; i < 10; i++)
		level[i] = log(1.501);
	expect_fit(10, level, "", &w);
}

static void expect_usable(unsigned n, unsigned kept, const double *x)
{
	unsigned came = infer_usable_costs(p, n);

	if (came != kept)
		fail_msg("expected %u usable costs, came %u", kept, came);
	for (unsigned i = 0; i < kept; i++)
		near("x", x[i], p[i].x);
}

TEST(costs_that_cannot_be)
{
	expect_usable(POINTS(0, -1.4, 0, 0, 7), 5, (double[]){ 1, 2, 3, 4, 5 });
	expect_usable(POINTS(0, -1.5, 0, 7, NAN), 3, (double[]){ 1, 3, 4 });
	expect_usable(POINTS(0, -2, 0, -2, 0, -2, -2, 0), 3, (double[]){ 1, 3, 5 });
	expect_usable(POINTS(-2, -2, 0, 0, 0), 0, NULL);
	/* 11 + 3 over 1.4 is 7 + 3 */
	expect_usable(POINTS(11, 11, 6, 11, 11), 5, (double[]){ 1, 2, 3, 4, 5 });
	expect_usable(POINTS(11, 11, 11, 7.01, 11), 5, (double[]){ 1, 2, 3, 4, 5 });
	expect_usable(POINTS(11, 11, 11, 6.99, 11), 4, (double[]){ 1, 2, 3, 5 });
	expect_usable(POINTS(11, 90, 11, 7.01, 11), 5, (double[]){ 1, 2, 3, 4, 5 });
	expect_usable(POINTS(0, 11, 11, 0, 11, 11), 5, (double[]){ 1, 2, 3, 5, 6 });
	expect_usable(POINTS(90, 11, 11, 0, 0, 11), 3, (double[]){ 1, 2, 3 });
	expect_usable(POINTS(11, 11, 90, 7.01), 4, (double[]){ 1, 2, 3, 4 });
	expect_usable(POINTS(11, 2, 11, 6.99, 11, 11, 0), 5, (double[]){ 1, 2, 3, 5, 6 });
	expect_usable(POINTS(2, 11, 11, 6.99, 0), 3, (double[]){ 1, 2, 3 });
	/* entries that something else takes are there again for two counts, not for three */
	expect_usable(POINTS(0, 7, 7, 0, 3.8, 7, 7, 60), 6, (double[]){ 1, 2, 3, 6, 7, 8 });
	expect_usable(POINTS(0, 7, 7, 0, 0, 0, 7, 7), 3, (double[]){ 1, 2, 3 });
	expect_usable(0, 0, NULL);
}
