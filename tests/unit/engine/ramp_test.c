/* SPDX-License-Identifier: MIT */
/* The edge of a table of sets, by the line on which the misses of too many entries lie. */
#include "engine/infer/ramp.h"
#include "engine/infer/infer.h"
#include "tests/unit/test.h"

#define POINTS 32

/* Costs over entries: `at` is the last one on the level, and the estimate reaches up to `high`. */
static struct {
	struct fitted w;
	struct curve_point curve[POINTS];
	unsigned n, at;
	double level;
	struct estimate e;
} m;

static void begin(double level, double scale)
{
	m.n = m.at = 0;
	m.level = level * scale;
	m.w = (struct fitted){ .offset = entry_rules.offset * scale,
		.rise = log(entry_rules.rise) };
}

static void add(double x, double y)
{
	m.curve[m.n++] = (struct curve_point){ x, y };
}

/* The point whose n times the added cost is on a line of this slope that begins at `from`. */
static void add_on_line(double x, double from, double slope)
{
	add(x, m.level + slope * (x - from) / x);
}

static bool found(double high)
{
	const struct transition t = {
		.last = m.n - 1, .level = log(m.level + m.w.offset), .lost = entry_rules.lost
	};

	m.e = (struct estimate){ .value = m.curve[m.at].x, .low = m.curve[m.at].x, .high = high };
	return infer_ramp(&m.w, m.curve, &t, m.at, &m.e);
}

/* 64 sets of 8 ways and a walk of 30 cycles: one entry too many makes nine miss. */
static void lru_table(double last_on_level, double scale)
{
	begin(4, scale);
	add(480, m.level);
	add(last_on_level, m.level);
	m.at = 1;
	for (double x = 516; x <= 528; x += 4)
		add_on_line(x, 512, 9 * 30 * scale);
}

static void expect_512(double last_on_level, double scale)
{
	lru_table(last_on_level, scale);
	if (!found(516) || m.e.value != 512 || m.e.low != 512 || m.e.high != 513)
		fail_msg("last point at %g, unit %g: expected 512 (512..513), came %g (%g..%g)",
			last_on_level, scale, m.e.value, m.e.low, m.e.high);
}

/* In whatever unit the cost is. */
TEST(sets_are_read_to_the_entry)
{
	for (double scale = 1e-4; scale < 1e4; scale *= 10) {
		expect_512(512, scale);
		expect_512(508, scale);
	}
}

/* The second of n points is the last one on the level, and the answer. */
static void expect_second(double level, const struct curve_point *points, unsigned n)
{
	begin(level, 1);
	m.at = 1;
	for (unsigned i = 0; i < n; i++)
		add(points[i].x, points[i].y);
	assert_true(found(points[2].x));
	if (m.e.value != points[1].x)
		fail_msg("expected %g, came %g (%g..%g)", points[1].x, m.e.value, m.e.low,
			m.e.high);
}

/*
 * A table of 576 entries as it was measured where walks load: the line bends, so that it begins too
 * early, and the last point on the level costs a little more than those before it.
 */
TEST(the_last_point_on_the_level_counts)
{
	static const struct curve_point measured[] = { { 512, 11.997 }, { 576, 12.038 },
		{ 577, 13.166 }, { 578, 14.304 }, { 580, 16.414 }, { 584, 20.789 }, { 592, 28.841 },
		{ 608, 42.468 }, { 640, 70.176 } };

	expect_second(12.006, measured, sizeof measured / sizeof *measured);
}

/* If a table's first walks find their entries in L1, only the first points are on a line. */
TEST(a_line_that_bends_is_shorter)
{
	static const struct curve_point measured[] = { { 1024, 9 }, { 1536, 8.938 },
		{ 1537, 9.077 }, { 1538, 9.234 }, { 1540, 9.606 }, { 1544, 10.213 },
		{ 1552, 11.695 }, { 1568, 15.130 } };

	expect_second(9.0003, measured, sizeof measured / sizeof *measured);
}

static void expect_refused(double high)
{
	if (found(high))
		fail_msg("up to %g: expected no edge, came %g (%g..%g)", high, m.e.value, m.e.low,
			m.e.high);
}

/* A line that begins before the last two points of the level, or beyond the first above it. */
TEST(a_line_from_elsewhere_is_refused)
{
	begin(3, 1);
	add(350, 3);
	add(400, 3);
	add(480, 3.2);
	m.at = 2;
	for (double x = 490; x <= 510; x += 10)
		add_on_line(x, 380, 30);
	expect_refused(490);

	begin(3, 1);
	add(400, 3);
	add(480, 3);
	m.at = 1;
	for (double x = 490; x <= 510; x += 10)
		add_on_line(x, 488, 30);
	assert_true(found(490));
	assert_true(m.e.value == 488);
	expect_refused(485);
}

/* A rise too gentle for entries that all miss, and noise that may move the line's beginning. */
TEST(what_is_not_sure_is_refused)
{
	lru_table(512, 1);
	m.w.noise = 0.01;
	assert_true(found(516));
	m.w.noise = 0.05;
	expect_refused(516);

	begin(4, 1);
	add(480, 4);
	add(512, 4);
	m.at = 1;
	for (double x = 516; x <= 528; x += 4)
		add_on_line(x, 512, 5);
	expect_refused(516);
}

static void expect_edge(const struct curve_point *curve, unsigned n, double low, double value,
	double high)
{
	struct staircase s;
	const struct estimate *e = &s.level[1].edge;

	if (infer_staircase(curve, n, &entry_rules, &s) < 2)
		fail_msg("expected two levels, came %u", s.count);
	if (e->reason || e->value != value || e->low != low || e->high != high)
		fail_msg("expected %g (%g..%g), came %g (%g..%g) %s", value, low, high, e->value,
			e->low, e->high, e->reason ? e->reason : "");
}

/*
 * 1536 entries in sets of 12, beside an L2 of 468 sets, as the sweep and the bisection see them:
 * from 960 on more and more lines of the entries leave L2, up to a third of the level's cost.
 */
TEST(a_level_may_rise_slowly_before_its_ramp)
{
	static const struct curve_point measured[] = { { 16, 0 }, { 32, 0 }, { 35, 0 }, { 36, 12 },
		{ 64, 12 }, { 128, 11.965 }, { 256, 11.977 }, { 512, 12.008 }, { 768, 12 },
		{ 896, 12.006 }, { 960, 12.003 }, { 1024, 12.319 }, { 1280, 13.803 },
		{ 1344, 14.015 }, { 1408, 15.196 }, { 1536, 16.408 }, { 1552, 20.677 },
		{ 1568, 24.684 }, { 1600, 32.428 }, { 1664, 46.939 }, { 1792, 48.82 },
		{ 2048, 53.531 }, { 4096, 39.359 }, { 8192, 40.875 }, { 16384, 40.875 } };

	expect_edge(measured, sizeof measured / sizeof *measured, 1536, 1536, 1537);
}

/*
 * 3072 entries, of which the first ones too many cost what the line of the others does not say: the
 * bracket has both. That beyond 3200 their page tables leave the caches, too, is no edge.
 */
TEST(a_line_from_elsewhere_widens_the_bracket)
{
	static const struct curve_point measured[] = { { 16, 0 }, { 64, 0 }, { 73, 0 }, { 74, 11 },
		{ 128, 11 }, { 256, 11 }, { 512, 11 }, { 1024, 11 }, { 2048, 10.996 },
		{ 3072, 10.994 }, { 3074, 10.938 }, { 3075, 11.155 }, { 3076, 13.868 },
		{ 3080, 14.685 }, { 3088, 16.08 }, { 3104, 19.531 }, { 3136, 26.298 },
		{ 3168, 33.269 }, { 3200, 39.858 }, { 3204, 52.4 }, { 3208, 64.426 },
		{ 3216, 87.92 }, { 3232, 135.27 }, { 3264, 229.426 }, { 3328, 413.393 },
		{ 3584, 413.367 }, { 4096, 413.373 }, { 8192, 413.4 }, { 16384, 413.4 } };

	expect_edge(measured, sizeof measured / sizeof *measured, 3064, 3075, 3076);
}

/* A line that begins far below the edge, as where one entry too many makes all miss, is none. */
TEST(a_line_from_far_below_says_nothing)
{
	static const struct curve_point measured[] = { { 16, 0 }, { 48, 0 }, { 49, 11 },
		{ 128, 11 }, { 256, 11 }, { 512, 11 }, { 768, 11 }, { 1000, 11 }, { 1024, 11.1 },
		{ 1025, 41 }, { 1032, 43 }, { 1048, 47.5 }, { 1064, 52 }, { 1088, 58.5 },
		{ 1152, 75 }, { 1280, 75 }, { 2048, 75 }, { 4096, 75 }, { 8192, 75 } };

	expect_edge(measured, sizeof measured / sizeof *measured, 1024, 1024, 1025);
}

/* A slow rise may itself be a straight line of entries: the steeper one is the end of the level. */
TEST(of_two_lines_the_steeper_is_the_ramp)
{
	static const double slow[] = { 1440, 1472, 1504, 1536 };
	static const double steep[] = { 1538, 1544, 1552, 1568 };

	begin(0, 1);
	add(16, 0);
	add(35, 0);
	m.level = 12;
	for (double x = 36; x < 1200; x *= 2)
		add(x, m.level);
	add(1408, 13);
	m.level = 13;
	for (unsigned i = 0; i < 4; i++)
		add_on_line(slow[i], 1408, 26);
	m.level = m.curve[m.n - 1].y;
	for (unsigned i = 0; i < 4; i++)
		add_on_line(steep[i], 1536, 400 + (steep[i] - 1536) / 8); /* it bends */
	for (double x = 1792; x < 10000; x *= 1.5)
		add(x, 50);
	expect_edge(m.curve, m.n, 1536, 1536, 1537);
}
