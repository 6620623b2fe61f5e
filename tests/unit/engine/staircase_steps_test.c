/* SPDX-License-Identifier: MIT */
/* The reader of clear steps: curves that rise before, between and behind them. */
#include "engine/infer/infer.h"
#include "lib/math.h"
#include "tests/unit/test.h"

static const struct staircase_rules rules = { .rise = 1.5, .steps = true };

static struct curve_point curve[INFER_POINTS];
static unsigned count;

/* Points from 16 to 128 Ki, `each` an octave, of a cost. */
static void draw(unsigned each, double (*cost)(double))
{
	count = 0;
	for (unsigned i = 0; i <= 13 * each; i++) {
		double x = floor(16 * exp2((double)i / each));

		curve[count++] = (struct curve_point){ x, cost(x) };
	}
}

/* One more point, in its place. */
static void add_point(double x, double y)
{
	unsigned i = count++;

	for (; i && curve[i - 1].x > x; i--)
		curve[i] = curve[i - 1];
	curve[i] = (struct curve_point){ x, y };
}

/* All that bisection asks for. */
static void bisect(double (*cost)(double))
{
	const struct resolution r = { .grain = 1, .ratio = 1.01 };
	double next[8];
	unsigned n;

	while ((n = infer_bisect_staircase(curve, count, &rules, &r, next, 8)) &&
		count + n < INFER_POINTS)
		for (unsigned i = 0; i < n; i++)
			add_point(next[i], cost(next[i]));
}

/*
 * A Golden Cove guest, jumps in random order: the cost creeps up while lines leave the first cache,
 * 12288 targets are remembered, what is beyond is replaced at random, and then L2 ends.
 */
static double golden_cove(double x)
{
	double creeps = 1.7 + 0.22 * log2(x / 16), held = 12288;
	double missed = x > held ? 1 - exp(-2 * (x / held - 1)) : 0;
	double beyond = x > 65536 ? 12 * log2(x / 65536) : 0;

	return creeps + 26 * missed + beyond;
}

static double two_levels(double x)
{
	return x <= 16384 ? 1 : x <= 24576 ? 3 : 15;
}

static double one_level(double x)
{
	return x <= 5000 ? 1.5 : 9;
}

static double slow_rise(double x)
{
	return pow(x, 0.5);
}

static void expect_edge(unsigned level, double truth, double most)
{
	struct staircase s;
	struct estimate e;

	infer_staircase(curve, count, &rules, &s);
	assert_true(level < s.count);
	e = s.level[level].edge;
	if (e.reason || fabs(e.value - truth) > most * truth || e.low > truth || e.high <= truth)
		fail_msg("expected %g, came %g (%g..%g) %s", truth, e.value, e.low, e.high,
			e.reason ? e.reason : "");
}

/* Values of that guest, ns a jump: 16 bytes apart, the cost creeps up to the step, */
static const struct curve_point close_by[] = { { 16, 0.30 }, { 32, 0.37 }, { 64, 0.47 },
	{ 90, 0.39 }, { 128, 0.37 }, { 181, 0.45 }, { 256, 0.44 }, { 362, 0.53 }, { 512, 0.56 },
	{ 724, 0.59 }, { 1024, 0.61 }, { 1448, 0.64 }, { 2048, 0.66 }, { 2896, 0.69 },
	{ 4096, 0.79 }, { 5792, 0.95 }, { 8192, 1.07 }, { 9216, 1.11 }, { 9728, 1.10 },
	{ 10240, 1.12 }, { 10752, 1.16 }, { 11585, 1.26 }, { 12288, 1.30 }, { 12352, 1.37 },
	{ 12416, 1.43 }, { 12544, 1.56 }, { 12800, 1.83 }, { 13312, 2.31 }, { 14336, 3.25 },
	{ 15360, 3.86 }, { 16384, 4.42 }, { 17408, 4.86 }, { 18432, 5.25 }, { 20480, 5.93 },
	{ 23170, 6.55 }, { 26624, 7.22 }, { 32768, 8.06 }, { 46340, 9.09 }, { 65536, 9.53 },
	{ 92681, 11.32 }, { 131072, 15.26 } };

/* and 32 apart, where L2 ends soon behind it. */
static const struct curve_point far[] = { { 16, 0.30 }, { 32, 0.29 }, { 64, 0.35 }, { 128, 0.35 },
	{ 256, 0.43 }, { 512, 0.56 }, { 724, 0.63 }, { 1024, 0.66 }, { 1448, 0.72 }, { 2048, 0.94 },
	{ 2896, 1.05 }, { 4096, 1.14 }, { 5792, 1.20 }, { 8192, 1.25 }, { 11585, 1.34 },
	{ 12288, 1.42 }, { 14336, 3.39 }, { 16384, 4.52 }, { 23170, 6.58 }, { 32768, 8.08 },
	{ 46340, 10.86 }, { 65536, 15.85 }, { 81920, 23.63 }, { 92681, 24.50 }, { 131072, 31.80 } };

TEST(one_step_on_a_real_machine)
{
	struct staircase s;

	count = sizeof close_by / sizeof *close_by;
	memcpy(curve, close_by, sizeof close_by);
	infer_staircase(curve, count, &rules, &s);
	assert_int_equal(2, s.count);
	expect_edge(0, 12288, 0.03);
	assert_true(s.level[0].edge.high < 1.03 * s.level[0].edge.low);
	count = sizeof far / sizeof *far;
	memcpy(curve, far, sizeof far);
	infer_staircase(curve, count, &rules, &s);
	assert_int_equal(2, s.count);
	expect_edge(0, 12288, 0.03);
}

/* At two and at four points an octave; the bracket always holds the truth. */
TEST(steps_between_slow_rises)
{
	for (unsigned each = 2; each <= 4; each *= 2) {
		draw(each, golden_cove);
		expect_edge(0, 12288, 0.1);
		bisect(golden_cove);
		expect_edge(0, 12288, 0.03);
	}
}

TEST(two_steps_half_an_octave_apart)
{
	draw(2, two_levels);
	add_point(18432, 3);
	add_point(20480, 3);
	add_point(22528, 3);
	add_point(26624, 15);
	expect_edge(1, 24576, 0.1);
	bisect(two_levels);
	expect_edge(0, 16384, 0.01);
	expect_edge(1, 24576, 0.01);
}

TEST(one_step_is_read_by_any_grid)
{
	struct staircase s;

	for (unsigned each = 1; each <= 4; each *= 2) {
		draw(each, one_level);
		assert_int_equal(2, infer_staircase(curve, count, &rules, &s));
		bisect(one_level);
		expect_edge(0, 5000, 0.01);
	}
}

/* An even rise has no step, however high it is; nor has a rise at the first point. */
TEST(no_step_stands_out)
{
	struct staircase s;

	draw(4, slow_rise);
	assert_int_equal(0, infer_staircase(curve, count, &rules, &s));
	assert_string_equal("no step stands out", s.reason);
	draw(4, one_level);
	curve[0].y = 0.5;
	for (unsigned i = 1; i < count; i++)
		curve[i].y = 2;
	assert_int_equal(0, infer_staircase(curve, count, &rules, &s));
	for (unsigned i = 0; i < count; i++)
		curve[i].y = 2;
	assert_int_equal(0, infer_staircase(curve, count, &rules, &s));
	assert_string_equal("the curve is flat", s.reason);
}

/* Noise of 3 %, and single points that cost twice as much. */
TEST(noise_makes_no_steps)
{
	struct random random;
	struct staircase s;

	random_seed(&random, 7);
	for (unsigned turn = 0; turn < 200; turn++) {
		draw(2, golden_cove);
		for (unsigned i = 0; i < count; i++)
			curve[i].y *= 1 + 0.03 * ((double)random_below(&random, 2001) / 1000 - 1);
		curve[4 + turn % 10].y *= 2;
		infer_staircase(curve, count, &rules, &s);
		for (unsigned i = 0; i < s.count; i++)
			if (!s.level[i].edge.reason &&
				(s.level[i].edge.low > 12288 || s.level[i].edge.high <= 8192))
				fail_msg("turn %u: a step at %g", turn, s.level[i].edge.value);
	}
}
