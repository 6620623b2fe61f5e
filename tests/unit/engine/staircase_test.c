/* SPDX-License-Identifier: MIT */
/* The staircase reader against machines whose curves are computed: see synthetic.h. */
#include "tests/unit/synthetic.h"
#include "tests/unit/test.h"

#define KIB (1024.0)
#define MIB (1024.0 * 1024)
#define GIB (1024.0 * 1024 * 1024)

static const unsigned grids[] = { 1, 2, 4 };

static void dump(const struct curve_point *p, unsigned n, const struct staircase *s)
{
	print_message("%u points:", n);
	for (unsigned i = 0; i < n; i++)
		print_message(" %g:%.3g", p[i].x / KIB, p[i].y);
	print_message("\nlevels %u, rising %d, noise %.3f, %s\n", s->count, s->rising, s->noise,
		s->reason ? s->reason : "");
	for (unsigned i = 0; i < s->count; i++)
		print_message("  y %.4g, edge %.6g (%.6g..%.6g) KiB\n", s->level[i].y,
			s->level[i].edge.value / KIB, s->level[i].edge.low / KIB,
			s->level[i].edge.high / KIB);
}

static void fail_with(const char *what, const struct curve_point *p, unsigned n,
	const struct staircase *s)
{
	dump(p, n, s);
	fail_msg("%s", what);
}

static unsigned caches(const struct staircase *s)
{
	return s->count && !s->rising ? s->count - 1 : s->count;
}

/* The score of a reading against the truth: numbers of levels that are right, open, and wrong. */
struct score {
	unsigned right, open, wrong, slow;
};

/* The reader may say "not resolved" at a level and everything outside of it, but not more. */
static struct score judge(const struct synthetic *m, const struct staircase *s, double step,
	double tolerance)
{
	struct score score = { 0 };
	bool lost = false;

	for (unsigned i = 0; i < 3; i++) {
		const struct stair *l = &s->level[i];
		const struct synthetic_level *truth = &m->level[i];

		lost |= i < caches(s) && !(l->edge.value > 0);
		if (i >= caches(s) || lost) {
			score.open += i < m->levels;
			continue;
		}
		bool soft = truth->policy == POLICY_HASHED;
		bool low = (soft ? l->edge.high : l->edge.value) * step < truth->bytes;

		if (i >= m->levels || low || l->edge.value > truth->bytes * step)
			score.wrong++;
		else
			score.right++;
		score.slow += i < m->levels && !l->hidden && fabs(l->y / truth->y - 1) > tolerance;
	}
	if (s->count && !s->rising)
		score.slow += fabs(s->level[s->count - 1].y / m->memory - 1) > tolerance;
	return score;
}

static struct synthetic skylake(enum synthetic_policy policy)
{
	return (struct synthetic){ 3,
		{ { 32 * KIB, 4, 8, POLICY_LRU }, { MIB, 14, 16, policy },
			{ 16 * MIB, 44, 11, policy } },
		200, 0, 0, 64 };
}

static void expect(struct synthetic m, double to, double noise, double tolerance)
{
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	struct random r;

	for (unsigned g = 0; g < 3; g++) {
		for (unsigned seed = 0; seed < (noise > 0 ? 100 : 1); seed++) {
			random_seed(&r, seed);
			unsigned n = synthetic_curve(&m, KIB, to, grids[g], noise, &r, p);

			infer_staircase(p, n, &cache_rules, &s);
			struct score score = judge(&m, &s, exp2(1.0 / grids[g]) * 1.002, tolerance);

			if (score.wrong || score.open || score.slow)
				fail_with("expected every level, to the grid step", p, n, &s);
		}
	}
}

TEST(test_exact_cliffs_are_recovered)
{
	expect(skylake(POLICY_LRU), GIB, 0, 1e-9);
	expect(skylake(POLICY_PLRU), GIB, 0, 0.01);
}

TEST(test_48_kib_of_12_ways_is_recovered)
{
	struct synthetic m = skylake(POLICY_LRU);

	m.level[0] = (struct synthetic_level){ 48 * KIB, 5, 12, POLICY_LRU };
	m.level[1].bytes = 1.25 * MIB;
	m.level[2].bytes = 22.5 * MIB;
	expect(m, GIB, 0, 1e-9);
}

TEST(test_two_per_cent_of_noise_changes_nothing)
{
	expect(skylake(POLICY_LRU), GIB, 0.02, 0.06);
	expect(skylake(POLICY_PLRU), GIB, 0.02, 0.06);
}

TEST(test_random_replacement_is_recovered)
{
	expect(skylake(POLICY_RANDOM), GIB, 0, 0.011);
	expect(skylake(POLICY_RANDOM), GIB, 0.02, 0.06);
}

TEST(test_missing_levels_are_not_invented)
{
	struct synthetic m = skylake(POLICY_LRU);

	m.levels = 2;
	expect(m, GIB, 0, 1e-9);
	expect(m, GIB, 0.02, 0.06);
	m.levels = 1;
	expect(m, GIB, 0, 1e-9);
	expect(m, GIB, 0.02, 0.06);
}

TEST(test_a_tlb_ramp_is_no_cache)
{
	struct synthetic m = skylake(POLICY_LRU);

	m.tlb_reach = 64 * 4 * KIB;
	m.tlb_y = 7;
	expect(m, GIB, 0, 0.3); /* the ramp is part of a load's time: only the sizes are judged */
	expect(m, GIB, 0.02, 0.3);
}

/* The top of the curve is memory only where the curve stops rising. */
TEST(test_a_curve_that_ends_rising_has_no_memory)
{
	struct synthetic m = skylake(POLICY_RANDOM);
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	struct random r;

	random_seed(&r, 1);
	unsigned n = synthetic_curve(&m, KIB, 24 * MIB, 4, 0, &r, p);

	infer_staircase(p, n, &cache_rules, &s);
	if (!s.rising || s.count != 3)
		fail_with("expected three caches and a rising end", p, n, &s);
}

/* Neither of two steps with no plateau between them may take the other's place. */
TEST(test_a_hidden_level_keeps_its_place)
{
	struct synthetic m = { 3,
		{ { 32 * KIB, 4, 8, POLICY_LRU }, { 46 * KIB, 16, 8, POLICY_LRU },
			{ 4 * MIB, 60, 16, POLICY_LRU } },
		300, 0, 0, 64 };
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	struct random r;

	random_seed(&r, 1);
	unsigned n = synthetic_curve(&m, KIB, GIB, 4, 0, &r, p);

	infer_staircase(p, n, &cache_rules, &s);
	if (s.count != 4 || !s.level[1].hidden || s.level[2].edge.value != 4 * MIB)
		fail_with("expected L1, a hidden L2, L3 and memory", p, n, &s);
}

static void refused(const struct curve_point *p, unsigned n, const char *reason)
{
	struct staircase s;

	if (infer_staircase(p, n, &cache_rules, &s) || !s.reason || strcmp(s.reason, reason) != 0) {
		print_message("expected \"%s\"\n", reason);
		fail_with("it was not refused for this reason", p, n, &s);
	}
}

TEST(test_flat_curves_are_refused)
{
	struct curve_point p[40];
	struct random r;

	for (unsigned seed = 0; seed < 200; seed++) {
		random_seed(&r, seed);
		for (unsigned i = 0; i < 40; i++)
			p[i] = (struct curve_point){ KIB * exp2(i / 2.0),
				50 * (1 + (seed ? 0.05 : 0) * gauss(&r)) };
		refused(p, 40, "the curve is flat");
	}
}

TEST(test_bad_points_are_refused)
{
	struct curve_point p[8];

	for (unsigned i = 0; i < 8; i++)
		p[i] = (struct curve_point){ KIB * exp2(i), i < 4 ? 4 : 100 };
	refused(p, 4, "too few points");
	p[3].y = NAN;
	refused(p, 8, "points that are no numbers");
	p[3].y = -1;
	refused(p, 8, "points that are no numbers");
	p[3] = p[2];
	refused(p, 8, "points that are no numbers");
}

TEST(test_falling_curves_are_refused)
{
	struct curve_point p[20];
	struct staircase s;

	for (unsigned i = 0; i < 20; i++)
		p[i] = (struct curve_point){ KIB * exp2(i), i < 10 ? 100 : 4 };
	if (infer_staircase(p, 20, &cache_rules, &s))
		fail_with("a falling curve was read", p, 20, &s);
}

/* Random curves: log-uniform over two decades, on each grid. None may show a level. */
TEST(test_random_curves_are_refused)
{
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	struct random r;

	random_seed(&r, 1);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned grid = grids[i % 3], n = 20 * grid + 1;

		for (unsigned k = 0; k < n; k++)
			p[k] = (struct curve_point){ KIB * exp2((double)k / grid),
				exp(4.6 * uniform(&r)) };
		if (infer_staircase(p, n, &cache_rules, &s))
			fail_with("a level was read from a random curve", p, n, &s);
	}
}

/* A spike, a dip or a disturbed point must not make or move a level by more than a grid step. */
TEST(test_outliers_make_no_levels)
{
	struct synthetic m = skylake(POLICY_LRU);
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	struct random r;

	random_seed(&r, 7);
	for (unsigned at = 1; at < 40; at++) {
		for (unsigned high = 0; high < 2; high++) {
			unsigned n = synthetic_curve(&m, KIB, GIB, 2, 0.005, &r, p);

			p[at].y *= high ? 3 : 0.5;
			infer_staircase(p, n, &cache_rules, &s);
			struct score score = judge(&m, &s, sqrt(2) * 1.002, 0.03);

			if (score.wrong || score.open || score.slow)
				fail_with("one bad point spoilt the reading", p, n, &s);
		}
	}
}

static double between(struct random *r, double a, double b)
{
	return a * exp2(uniform(r) * log2(b / a));
}

/* Sizes 6 to 24 times the level before, times 2.2 to 4: real machines are kinder. */
static struct synthetic any_machine(struct random *r)
{
	static const double l1[] = { 8, 16, 24, 32, 48, 64, 128 };
	static const unsigned ways[] = { 4, 8, 12, 16 };
	struct synthetic m = { .levels = 1 + (unsigned)random_below(r, 3), .line = 64 };
	double bytes = l1[random_below(r, 7)] * KIB, y = 3 + (double)random_below(r, 3);

	for (unsigned i = 0; i < m.levels; i++) {
		enum synthetic_policy policy = (enum synthetic_policy)random_below(r, POLICIES);
		unsigned w = ways[random_below(r, 4)];

		if (policy == POLICY_PLRU && w == 12)
			w = 8;
		if (!i && policy >= POLICY_HASHED) /* no first level hashes or adapts */
			policy = POLICY_LRU;
		if (i + 1 < m.levels && policy == POLICY_ADAPTIVE)
			policy = POLICY_LRU;
		m.level[i] =
			(struct synthetic_level){ floor(bytes / (64 * w)) * 64 * w, y, w, policy };
		bytes = fmin(bytes * between(r, 6, 24), 64 * MIB);
		y *= between(r, 2.2, 4);
	}
	m.memory = fmax(60, m.level[m.levels - 1].y * between(r, 2.2, 6));
	return m;
}

/*
 * Many machines, grids and noises: recovered or not resolved. Cliffs always recovered. With one
 * size an octave, levels that lie close together and are soft cannot all be told apart: at most one
 * in 200 may be wrong there, none with two or more.
 */
TEST(test_any_machine_is_recovered_or_not_resolved)
{
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	struct random r;

	for (unsigned g = 0; g < 3; g++) {
		struct score sum = { 0 };

		random_seed(&r, 2024);
		for (unsigned i = 0; i < 2000; i++) {
			struct synthetic m = any_machine(&r);
			double noise = 0.02 * (double)random_below(&r, 2);
			unsigned n = synthetic_curve(&m, KIB, GIB, grids[g], noise, &r, p);

			infer_staircase(p, n, &cache_rules, &s);
			struct score score = judge(&m, &s, exp2(1.0 / grids[g]) * 1.002, 0.05);

			if (score.wrong && grids[g] > 1)
				fail_with("a wrong level", p, n, &s);
			sum.right += score.right;
			sum.open += score.open;
			sum.wrong += score.wrong;
		}
		print_message("%u an octave: %u right, %u not resolved, %u wrong\n", grids[g],
			sum.right, sum.open, sum.wrong);
		assert_in_range(sum.wrong, 0, sum.right / 200);
		assert_in_range(sum.open, 0, sum.right / (grids[g] > 1 ? 30 : 10));
	}
}

/* Points that are a plateau, and points that only lie between two. */

/* Points between two levels that scatter too much to be a plateau give no cost. */
TEST(points_that_scatter_are_no_plateau)
{
	static const double costs[] = { 4, 4, 4, 4, 4, 4, 16.8, 18.2, 14, 14, 18.2, 16.8, 60, 60,
		60, 60, 60 };
	enum { POINTS = sizeof costs / sizeof *costs };
	struct curve_point p[POINTS];
	struct staircase s;

	for (unsigned i = 0; i < POINTS; i++)
		p[i] = (struct curve_point){ 1024 * exp2(i / 4.0), costs[i] };
	assert_int_equal(infer_staircase(p, POINTS, &cache_rules, &s), 3);
	if (!s.level[1].hidden)
		fail_msg("expected a hidden level, came a plateau of %g", s.level[1].y);
	assert_true(s.level[0].y == 4 && s.level[2].y == 60);
}

/* Single steps of a staircase, on curves that are stated: which is halved, read and kept. */

#define KIB_STEPS (1024.0)
#define MIB_STEPS (1024.0 * 1024)

/* The only new size is in the long gap across which the cost rises. */
TEST(test_a_long_gap_with_a_rise_is_halved)
{
	const struct resolution to = { .grain = 64, .ratio = 1.03 };
	const struct curve_point p[] = { { 4 * KIB_STEPS, 5 }, { 8 * KIB_STEPS, 5 },
		{ 16 * KIB_STEPS, 5 }, { 32 * KIB_STEPS, 5 }, { 64 * KIB_STEPS, 16 },
		{ 128 * KIB_STEPS, 16 }, { 256 * KIB_STEPS, 16 }, { 512 * KIB_STEPS, 16 } };
	double next[16];
	unsigned n = infer_bisect_staircase(p, sizeof p / sizeof *p, &cache_rules, &to, next, 16);

	if (n != 1 || next[0] != 48 * KIB_STEPS)
		fail_msg("expected 48 KiB alone; came %u sizes, the first %g KiB", n,
			n ? next[0] / KIB_STEPS : NAN);
}

/* From 10 to 40, the last tenth of it between the last two sizes, of which the second is flat. */
TEST(test_the_last_step_of_a_soft_rise_has_its_place)
{
	static const double rise[] = { 13, 18, 24, 30, 40 };
	const double step = 1.09;
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	unsigned n = 0;
	double x = MIB_STEPS;

	for (double at = 64 * KIB_STEPS; at <= MIB_STEPS; at *= 2)
		p[n++] = (struct curve_point){ at, 10 };
	for (unsigned i = 0; i < 5; i++)
		p[n++] = (struct curve_point){ x *= step, rise[i] };
	for (unsigned i = 0; i < 4; i++)
		p[n++] = (struct curve_point){ x *= 2, 40 };
	assert_int_equal(2, infer_staircase(p, n, &cache_rules, &s));
	const struct estimate *e = &s.level[0].edge;
	double expected = MIB_STEPS * pow(step, 4 + (37 - 30) / 10.0);

	if (!(fabs(e->rise_90 / expected - 1) < 1e-3))
		fail_msg("expected 90 %% at %g KiB, came %g", expected / KIB_STEPS,
			e->rise_90 / KIB_STEPS);
}

/*
 * A Sapphire Rapids guest whose pages of 2 MiB the host has split: from 96 times 4 KiB on loads
 * miss the TLB, and the lines of its L2, of 2 MiB, fall into sets by chance.
 */
TEST(test_a_slow_rise_before_a_soft_edge_is_not_the_edge)
{
	static const struct curve_point kib[] = { { 4, 5 }, { 5, 5 }, { 8, 5 }, { 11, 5 },
		{ 16, 5 }, { 22, 5 }, { 24, 5 }, { 32, 5 }, { 40, 5 }, { 45, 5 }, { 48, 5.1 },
		{ 49, 8 }, { 50, 10.7 }, { 52, 15.8 }, { 56, 15.9 }, { 64, 15.9 }, { 90, 16 },
		{ 128, 16 }, { 181, 16 }, { 256, 16 }, { 362, 16 }, { 384, 16 }, { 416, 16.5 },
		{ 448, 17 }, { 512, 17.8 }, { 724, 19.3 }, { 1024, 20.4 }, { 1448, 21.3 },
		{ 1536, 22.1 }, { 1664, 23.2 }, { 1792, 29.5 }, { 2048, 41.5 }, { 2304, 57.5 },
		{ 2432, 67.4 }, { 2560, 74.8 }, { 2896, 87.7 }, { 3072, 91.5 }, { 3328, 95.8 },
		{ 3584, 98.4 }, { 4096, 101.2 }, { 5792, 102 }, { 6144, 100.2 }, { 6656, 100.7 },
		{ 7168, 103.2 }, { 7680, 105.1 }, { 8192, 105.6 }, { 16384, 278.4 }, { 32768, 384 },
		{ 65536, 395 }, { 131072, 400 } };
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	unsigned n = sizeof kib / sizeof *kib;

	for (unsigned i = 0; i < n; i++)
		p[i] = (struct curve_point){ kib[i].x * KIB, kib[i].y };
	infer_staircase(p, n, &cache_rules, &s);
	const struct estimate *e = &s.level[1].edge;

	assert_true(s.level[1].clean == 384 * KIB);
	if (s.count < 3 || e->reason || e->low < 1448 * KIB || e->low > 2 * MIB ||
		e->high < 2 * MIB || e->high > 3.5 * MIB)
		fail_with("not an L2 of 2 MiB", p, n, &s);
}

/* Nine levels, each of four sizes and twice as slow as the one before: the first ones are kept. */
TEST(test_more_levels_than_are_kept)
{
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	unsigned n = 0;

	for (unsigned level = 0; level < INFER_STAIRS + 3; level++)
		for (unsigned i = 0; i < 4; i++, n++)
			p[n] = (struct curve_point){ KIB_STEPS * exp2(n / 2.0), 4 << level };
	infer_staircase(p, n, &cache_rules, &s);
	if (s.count != INFER_STAIRS)
		fail_msg("expected %u levels, came %u", INFER_STAIRS, s.count);
	assert_true(s.level[INFER_STAIRS - 1].y == 4 << (INFER_STAIRS - 1));
}
