/* SPDX-License-Identifier: MIT */
/* Which number of a gap is measured next, and which gaps of a curve are looked into. */
#include <math.h>

#include "infer/infer.h"
#include "tests/unit/test.h"

static void expect_next(double expected, double low, double high, const struct resolution *r)
{
	const struct estimate bracket = { .low = low, .value = low, .high = high };
	double x = infer_bisect(low, high, r), y = infer_bisect_bracket(&bracket, r);

	if (!(x == expected || (isnan(x) && isnan(expected))))
		fail_msg("expected %g between %g and %g, came %g", expected, low, high, x);
	assert_true(y == x || (isnan(x) && isnan(y)));
}

/* Multiples of the grain from where it begins, both sides of each bound. */
TEST(numbers_lie_on_the_grain)
{
	const struct resolution whole = { .grain = 1, .ratio = 1 },
				odd = { .from = 3, .grain = 16, .ratio = 1 },
				eights = { .from = 16, .grain = 8, .ratio = 1 },
				eights_coarse = { .from = 16, .grain = 8, .ratio = 1.5 },
				coarse = { .grain = 64, .ratio = 1.5 };

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

TEST(what_is_not_resolved_has_no_next)
{
	const struct resolution whole = { .grain = 1, .ratio = 1 };
	struct estimate e = not_resolved("a reason");

	e.low = 8;
	e.high = 16;
	assert_true(isnan(infer_bisect_bracket(&e, &whole)));
}

/* The level ends between the last two counts, or between the first two. */
TEST(the_outermost_gaps_are_looked_into)
{
	const struct resolution to = { .grain = 1, .ratio = 1 };
	struct point last[9], first[9];
	double next[16];

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

#define KIB (1024.0)

/* Sizes in KiB that are measured next, in this order. */
static void expect_sizes(const struct point *of_kib, unsigned n, unsigned count,
	const double *sizes)
{
	const struct resolution to = { .grain = 64, .ratio = 1.03 };
	struct point p[32];
	double next[16];

	for (unsigned i = 0; i < n; i++)
		p[i] = (struct point){ of_kib[i].x * KIB, of_kib[i].y };
	unsigned came = infer_bisect_staircase(p, n, &cache_rules, &to, next, 16);

	for (unsigned i = 0; i < came || i < count; i++)
		if (i >= came || i >= count || next[i] != sizes[i] * KIB)
			fail_msg("size %u of %u: expected %g KiB, came %g of %u", i + 1, count,
				i < count ? sizes[i] : NAN, i < came ? next[i] / KIB : NAN, came);
}

#define EXPECT_SIZES(points, ...)                                                                  \
	expect_sizes(points, sizeof(points) / sizeof *(points),                                    \
		sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double),                          \
		(const double[]){ __VA_ARGS__ })

/* A cliff; a rise over a range, whose places are looked for; a gap that may hide a level. */
static const struct point cliffs[] = { { 1, 4 }, { 2, 4 }, { 4, 4 }, { 8, 16 }, { 16, 16 },
	{ 32, 16 }, { 64, 16 }, { 128, 80 }, { 256, 80 }, { 512, 80 } };
static const struct point close_cliff[] = { { 8, 4 }, { 16, 4 }, { 32, 4 }, { 33, 16 }, { 64, 16 },
	{ 128, 16 }, { 256, 16 } };
static const struct point soft[] = { { 64, 10 }, { 128, 10 }, { 256, 10 }, { 512, 10 },
	{ 1024, 10 }, { 1200, 16 }, { 1400, 22 }, { 1600, 28 }, { 1900, 34 }, { 2300, 40 },
	{ 4096, 40 }, { 8192, 40 }, { 16384, 40 } };
static const struct point known[] = { { 64, 10 }, { 128, 10 }, { 256, 10 }, { 512, 10 },
	{ 1024, 10 }, { 1040, 10 }, { 1070, 13 }, { 1150, 16 }, { 1250, 22 }, { 1360, 25 },
	{ 1480, 28 }, { 1600, 34 }, { 1750, 37 }, { 2000, 40 }, { 4096, 40 }, { 8192, 40 },
	{ 16384, 40 } };

TEST(sizes_around_edges)
{
	EXPECT_SIZES(cliffs, 6, 96);
	EXPECT_SIZES(close_cliff, 32.5);
	EXPECT_SIZES(soft, 1152, 1536, 2048); /* the edge, the middle of the rise, its last tenth */
	EXPECT_SIZES(known, 768, 1920);       /* 5 % before the first tenth, and behind the last */
}

/* KiB; rises of 0: the edge is no range. */
static void expect_edge(const struct point *of_kib, unsigned n, unsigned level,
	const struct estimate *expected)
{
	struct staircase s;
	struct point p[32];

	for (unsigned i = 0; i < n; i++)
		p[i] = (struct point){ of_kib[i].x * KIB, of_kib[i].y };
	assert_true(infer_staircase(p, n, &cache_rules, &s) > level);
	const struct estimate *e = &s.level[level].edge;

#define NUMBER(name, unit)                                                                         \
	if (!(fabs(e->name / unit - expected->name) <= 1e-6 * expected->name))                     \
	fail_msg("level %u, " #name ": expected %g, came %g", level, expected->name, e->name / unit)
	NUMBER(value, KIB);
	NUMBER(low, KIB);
	NUMBER(high, KIB);
	NUMBER(rise_10, KIB);
	NUMBER(rise_50, KIB);
	NUMBER(rise_90, KIB);
	NUMBER(confidence, 1);
}

#define EXPECT_EDGE(points, level, of, from, to, sure, ten, half, ninety)                          \
	expect_edge(points, sizeof(points) / sizeof *(points), level,                              \
		&(const struct estimate){ .value = of,                                             \
			.low = from,                                                               \
			.high = to,                                                                \
			.confidence = sure,                                                        \
			.rise_10 = ten,                                                            \
			.rise_50 = half,                                                           \
			.rise_90 = ninety })

/* The wider the bracket, the less sure. */
static double sure(double octaves)
{
	return 1 / (1 + 0.25 * octaves);
}

/* Up to the middle of the rise where the points lie too far apart to tell a range. */
TEST(edges_of_these_curves)
{
	EXPECT_EDGE(cliffs, 0, 4, 4, 8, sure(1), 0, 0, 0);
	EXPECT_EDGE(cliffs, 1, 64, 64, 128, sure(1), 0, 0, 0);
	EXPECT_EDGE(close_cliff, 0, 32, 32, 33, sure(log2(33 / 32.)), 0, 0, 0);
	EXPECT_EDGE(soft, 0, 1024, 1024, 1600, sure(log2(1600 / 1024.)), 0, 0, 0);
	EXPECT_EDGE(known, 0, 1040, 1040, 1070, sure(log2(1070 / 1040.)), 1070, 1360, 1750);
}
