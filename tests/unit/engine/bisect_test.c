/* SPDX-License-Identifier: MIT */
/* Bisection of edges, on machines whose curves are computed: see synthetic.h. */
#include "engine/infer/bisect.c"
#include "tests/unit/synthetic.h"
#include "tests/unit/test.h"

#define KIB (1024.0)
#define MIB (1024.0 * 1024)

static void gap(double expected, double low, double high, double ratio, double grain)
{
	const struct resolution r = { .grain = grain, .ratio = ratio };
	double x = infer_bisect(low, high, &r);

	if (!(x == expected || (x != x && expected != expected)))
		fail_msg("expected %g between %g and %g, got %g", expected, low, high, x);
}

TEST(test_the_simplest_number_of_the_middle_is_next)
{
	gap(48 * KIB, 32 * KIB, 64 * KIB, 1.03, 64);
	gap(56 * KIB, 48 * KIB, 64 * KIB, 1.03, 64);
	gap(1536, 1024, 2048, 1, 1);
	gap(24 * MIB, 16 * MIB, 32 * MIB, 1.03, 64);
	gap(5, 4, 6, 1, 1);
	gap(NAN, 48 * KIB, 49 * KIB, 1.03, 64);
	gap(NAN, 5, 6, 1, 1);
	gap(NAN, 128, 192, 1.03, 64);
	gap(NAN, 6, 5, 1, 1);
	gap(NAN, NAN, 5, 1, 1);
}

/* Every gap shrinks to 3/4 of its logarithm or less, or to the number between its ends. */
TEST(test_a_gap_shrinks_to_three_quarters)
{
	const struct resolution r = { .grain = 1, .ratio = 1 };
	struct random random;

	random_seed(&random, 1);
	for (unsigned i = 0; i < 20000; i++) {
		double low = 1 + (double)random_below(&random, 5000);
		double high = low + 1 + (double)random_below(&random, (uint64_t)low);
		double x = infer_bisect(low, high, &r), part = log(x / low) / log(high / low);

		if (high - low < 2) {
			assert_true(x != x);
			continue;
		}
		assert_true(x > low && x < high && x == floor(x));
		if (high - low > 8)
			assert_true(part >= 0.2499 && part <= 0.7501);
	}
}

/* Measures what is asked for until nothing more is. Returns how many rounds that took. */
static unsigned bisect(const struct synthetic *m, double grain, double noise, struct random *r,
	struct curve_point *p, unsigned *n)
{
	const struct resolution to = { .grain = grain, .ratio = 1.03 };
	double next[16];
	unsigned count, rounds = 0;

	while ((count = infer_bisect_staircase(p, *n, &cache_rules, &to, next, 16))) {
		for (unsigned i = 0; i < count; i++) {
			double y = synthetic_time(m, next[i]) * (1 + noise * gauss(r));

			for (unsigned k = 0; k < *n; k++)
				assert_true(p[k].x != next[i]);
			insert_point(p, n, (struct curve_point){ next[i], y });
		}
		assert_in_range(++rounds, 1, 20);
	}
	return rounds;
}

static void read_machine(struct synthetic m, unsigned per_octave, double noise, unsigned seed,
	struct staircase *s)
{
	struct curve_point p[INFER_POINTS];
	struct random r;
	unsigned n;

	random_seed(&r, seed);
	n = synthetic_curve(&m, KIB, 512 * MIB, per_octave, noise, &r, p);
	bisect(&m, 64, noise, &r, p, &n);
	infer_staircase(p, n, &cache_rules, s);
	if (s->count == m.levels + 1)
		return;
	for (unsigned i = 0; i < n; i++)
		print_message(" %g:%.4g", p[i].x / KIB, p[i].y);
	fail_msg("%u levels instead of %u", s->count, m.levels + 1);
}

static void expect_within(const struct synthetic *m, const struct staircase *s, double part)
{
	for (unsigned i = 0; i < m->levels; i++) {
		const struct estimate *e = &s->level[i].edge;
		double truth = m->level[i].bytes;

		if (!(fabs(e->value / truth - 1) <= part) || !(e->low <= e->value) ||
			!(e->value <= e->high))
			fail_msg("level %u: expected %g KiB, got %g (%g..%g)", i + 1, truth / KIB,
				e->value / KIB, e->low / KIB, e->high / KIB);
	}
}

static struct synthetic machine(double l1, double l2, double l3, enum synthetic_policy policy)
{
	return (struct synthetic){ 3,
		{ { l1 * KIB, 5, 12, POLICY_LRU }, { l2 * KIB, 16, 16, policy },
			{ l3 * KIB, 60, 16, policy } },
		250, 0, 0, 64 };
}

static const double sizes[][3] = { { 48, 1280, 30720 }, { 32, 1024, 36608 }, { 24, 512, 4000 },
	{ 48, 2048, 61440 }, { 64, 192, 2560 }, { 36, 400, 11264 } };

/* A cliff: the bracket holds the truth and is no wider than was asked for. */
TEST(test_cliffs_are_known_to_three_per_cent)
{
	struct staircase s;

	for (unsigned i = 0; i < 6; i++)
		for (unsigned grid = 1; grid <= 4; grid *= 2) {
			struct synthetic m =
				machine(sizes[i][0], sizes[i][1], sizes[i][2], POLICY_LRU);

			read_machine(m, grid, 0, 1, &s);
			expect_within(&m, &s, 0.03);
			for (unsigned k = 0; k < 3; k++) {
				const struct estimate *e = &s.level[k].edge;

				assert_true(e->low <= m.level[k].bytes);
				assert_true(m.level[k].bytes < e->high);
				assert_true(e->high <= 1.0301 * e->low);
				assert_true(e->rise_10 == 0);
			}
		}
}

TEST(test_noise_of_one_per_cent_changes_little)
{
	struct staircase s;

	for (unsigned i = 0; i < 6; i++)
		for (unsigned seed = 1; seed <= 20; seed++) {
			struct synthetic m =
				machine(sizes[i][0], sizes[i][1], sizes[i][2], POLICY_LRU);

			read_machine(m, 2, 0.01, seed, &s);
			expect_within(&m, &s, 0.05);
		}
}

/* A neighbour has 5 of 16 ways of 1 MiB at times: what it leaves and what there is are inside. */
TEST(test_a_cliff_after_a_gentle_rise_is_in_the_bracket)
{
	static const double of_kib[][2] = { { 704, 42 }, { 720, 54 }, { 736, 59 }, { 768, 66 },
		{ 832, 70 }, { 896, 71 }, { 960, 74 }, { 1024, 77 }, { 1088, 200 }, { 1152, 200 } };
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	unsigned n = 0;

	for (double x = 1; x <= 512; x *= 2)
		p[n++] = (struct curve_point){ x * KIB, x <= 32 ? 4 : x <= 128 ? 13 : 42 };
	for (unsigned i = 0; i < sizeof of_kib / sizeof *of_kib; i++)
		p[n++] = (struct curve_point){ of_kib[i][0] * KIB, of_kib[i][1] };
	for (double x = 2048; x <= 16384; x *= 2)
		p[n++] = (struct curve_point){ x * KIB, 200 };
	infer_staircase(p, n, &cache_rules, &s);
	const struct estimate *e = &s.level[2].edge;

	if (s.count != 4 || e->low > 704 * KIB || e->high < 1024 * KIB)
		fail_msg("expected four levels, 704..1024 KiB in the third's bracket; came %u, "
			 "%g..%g",
			s.count, e->low / KIB, e->high / KIB);
}

/* At random, misses begin at the capacity; by chance in sets, half are done there. */
TEST(test_soft_edges_are_curves)
{
	struct staircase s;

	for (unsigned i = 0; i < 6; i++) {
		for (unsigned policy = POLICY_RANDOM; policy <= POLICY_HASHED; policy += 2) {
			struct synthetic m = machine(sizes[i][0], sizes[i][1], 32 * sizes[i][1],
				(enum synthetic_policy)policy);

			if (policy == POLICY_HASHED && sizes[i][1] < 4 * sizes[i][0])
				continue; /* no plateau is left between the two levels */
			read_machine(m, 2, 0, 1, &s);
			expect_within(&m, &s, policy == POLICY_RANDOM ? 0.03 : 0.05);
			for (unsigned k = 1; k < 3; k++) {
				const struct estimate *e = &s.level[k].edge;
				double truth = m.level[k].bytes;

				if (!(e->low <= truth && truth < e->high))
					fail_msg("%g KiB outside %g..%g", truth / KIB, e->low / KIB,
						e->high / KIB);
				assert_true(e->rise_10 < e->rise_50 && e->rise_50 < e->rise_90);
				if (policy == POLICY_RANDOM)
					assert_true(fabs(e->rise_50 / truth / 1.386 - 1) < 0.05);
			}
		}
	}
}

/* 1.6 % beyond the last size that costs nothing more may be the foot: two gaps, 3.1 % together. */
TEST(test_a_bracket_is_no_wider_than_a_gap)
{
	struct curve_point p[] = { { 1, 3 }, { 2, 3 }, { 4, 3 }, { 8, 3 }, { 16, 3 },
		{ 16.25, 3.69 }, { 18, 8 }, { 20, 12 }, { 32, 12 }, { 64, 12 }, { 128, 12 },
		{ 256, 12.01 }, { 260, 13.79 }, { 264, 15.5 }, { 272, 18.84 }, { 288, 24.59 },
		{ 320, 33.84 }, { 384, 46.17 }, { 512, 58.57 }, { 1024, 68.95 }, { 1280, 69.67 } };
	const struct resolution to = { .grain = 0.0625, .ratio = 1.03 };
	double next[16];
	unsigned n = infer_bisect_staircase(p, sizeof p / sizeof *p, &cache_rules, &to, next, 16);
	bool halves[2] = { false, false };

	for (unsigned i = 0; i < n; i++) {
		halves[0] |= next[i] == 258;
		halves[1] |= next[i] == 262;
	}
	assert_true(halves[0] && halves[1]);
}

/* L2 of which only one size of the sweep is a hit: more sizes show that it is there. */
TEST(test_a_level_between_two_sizes_is_found)
{
	struct synthetic m = machine(32, 120, 4096, POLICY_LRU);
	struct staircase s;

	read_machine(m, 1, 0, 1, &s);
	expect_within(&m, &s, 0.03);
	assert_true(fabs(s.level[1].y / 16 - 1) < 0.01);
}

TEST(test_four_levels)
{
	struct synthetic m = { 4,
		{ { 48 * KIB, 4, 12, POLICY_LRU }, { 192 * KIB, 9, 12, POLICY_LRU },
			{ 2560 * KIB, 17, 10, POLICY_LRU }, { 36864 * KIB, 70, 12, POLICY_LRU } },
		300, 0, 0, 64 };
	struct staircase s;

	for (unsigned grid = 1; grid <= 4; grid *= 2) {
		read_machine(m, grid, 0, 1, &s);
		expect_within(&m, &s, 0.03);
	}
}

/* Entries: the first one too many shows, though its set is one of many. */
TEST(test_entries_are_exact)
{
	const struct resolution to = { .grain = 1, .ratio = 1 };
	static const unsigned truths[][2] = { { 64, 1536 }, { 96, 2048 }, { 72, 3072 },
		{ 16, 64 } };
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	double next[16];
	unsigned n, count;

	for (unsigned i = 0; i < 4; i++) {
		struct synthetic m = { 2,
			{ { truths[i][0] * 64., 0.01, 4, POLICY_LRU },
				{ truths[i][1] * 64., 7, 8, POLICY_LRU } },
			30, 0, 0, 64 };

		for (n = 0; n < 13; n++)
			p[n] = (struct curve_point){ 4 << n, synthetic_time(&m, 64 * (4 << n)) };
		while ((count = infer_bisect_staircase(p, n, &entry_rules, &to, next, 16)))
			for (unsigned k = 0; k < count; k++)
				insert_point(p, &n,
					(struct curve_point){
						next[k], synthetic_time(&m, 64 * next[k]) });
		infer_staircase(p, n, &entry_rules, &s);
		assert_int_equal(s.count, 3);
		for (unsigned k = 0; k < 2; k++) {
			assert_true(s.level[k].edge.value == truths[i][k]);
			assert_true(s.level[k].edge.high == truths[i][k] + 1);
		}
	}
}

/*
 * Page walks whose tables leave the caches soon after the last entry is used: no plateau of walks,
 * and a rise so high that the first entry too many is a small part of it.
 */
TEST(test_entries_are_exact_before_a_long_rise)
{
	/* core cycles, as the known-answer machine's Haswell gives them: 64 and 1024 entries */
	struct curve_point p[] = { { 8, 0 }, { 16, 0 }, { 32, 0 }, { 64, 0 }, { 65, 0.54 },
		{ 66, 1.06 }, { 68, 2.05 }, { 72, 3.89 }, { 80, 7 }, { 128, 7 }, { 256, 7 },
		{ 512, 7 }, { 1024, 7 }, { 1025, 7.19 }, { 1026, 7.39 }, { 1028, 7.78 },
		{ 1032, 8.54 }, { 1040, 10.1 }, { 1056, 13 }, { 1088, 18.7 }, { 1152, 29.5 },
		{ 1280, 29 }, { 1536, 77.4 }, { 2048, 77.5 } };
	enum { POINTS = sizeof p / sizeof *p, RAMP = 20 };
	struct staircase s;

	assert_true(infer_staircase(p, POINTS, &entry_rules, &s) >= 2);
	assert_true(s.level[0].edge.value == 64 && s.level[0].edge.high == 65);
	assert_true(s.level[1].edge.value == 1024 && s.level[1].edge.high == 1025);
	assert_true(fabs(infer_flat_beyond(p, POINTS, 1024).value - 29) < 0.6);
	assert_non_null(infer_flat_beyond(p, RAMP, 1024).reason);
}

/*
 * A count that costs no more than the level is on it, though the line of the counts beyond begins
 * half an entry before it: each of them also costs a fixed time more.
 */
TEST(test_a_count_on_the_level_fits)
{
	/* core cycles, as the known-answer machine's Golden Cove server gives them */
	struct curve_point p[] = { { 8, 0 }, { 16, 0 }, { 32, 0 }, { 64, 0 }, { 96, 0 },
		{ 97, 0.506 }, { 98, 1 }, { 100, 1.96 }, { 104, 3.77 }, { 112, 7 }, { 128, 7 },
		{ 256, 7 }, { 512, 7 }, { 1024, 7.002 }, { 2048, 6.921 }, { 2049, 7.269 },
		{ 2050, 7.495 }, { 2052, 7.907 }, { 2056, 8.775 }, { 2064, 10.49 }, { 2080, 13.87 },
		{ 2112, 20.59 }, { 2176, 33.34 }, { 2304, 33.33 }, { 2560, 33.33 }, { 4096, 33.11 },
		{ 8192, 33.11 } };
	struct staircase s;

	assert_int_equal(3, infer_staircase(p, sizeof p / sizeof *p, &entry_rules, &s));
	assert_true(s.level[1].edge.value == 2048 && s.level[1].edge.high == 2049);
}

/* A curve ends before the point that one bad point makes absurd; the curve before it stays. */
TEST(test_a_bad_point_ends_a_curve)
{
	struct synthetic m = machine(48, 1280, 30720, POLICY_LRU);
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	struct random r;
	unsigned n;

	random_seed(&r, 1);
	n = synthetic_curve(&m, KIB, 512 * MIB, 2, 0, &r, p);
	p[n - 6].y = -3;
	assert_int_equal(4, infer_staircase(p, n, &cache_rules, &s));
	expect_within(&m, &s, 0.5);
	p[n - 6].y = NAN;
	assert_int_equal(4, infer_staircase(p, n, &cache_rules, &s));
}

/* A first TLB of 4 entries, of which the sweep has one point: the first rise is its edge. */
TEST(test_the_first_rise_is_the_first_level)
{
	struct synthetic m = { 2,
		{ { 4 * 64., 0.01, 4, POLICY_LRU }, { 512 * 64., 7, 4, POLICY_LRU } }, 30, 0, 0,
		64 };
	struct curve_point p[INFER_POINTS];
	struct staircase s;

	for (unsigned i = 0; i < 11; i++)
		p[i] = (struct curve_point){ 4 << i, synthetic_time(&m, 64 * (4 << i)) };
	assert_int_equal(3, infer_staircase(p, 11, &entry_rules, &s));
	assert_true(s.level[0].edge.value == 4 && s.level[0].edge.high == 8);
	assert_true(s.level[1].edge.value == 512);
}

/* Expect the number of a gap that is measured next, and the gaps of a curve that are searched. */

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
	struct curve_point last[9], first[9];
	double next[16];

	for (unsigned i = 0; i < 9; i++) {
		last[i] = (struct curve_point){ 4 << i, i < 8 ? 0 : 7 };
		first[i] = (struct curve_point){ 4 << i, i < 1 ? 0 : 7 };
	}
	assert_int_equal(1, infer_bisect_staircase(last, 9, &entry_rules, &to, next, 16));
	assert_true(next[0] == 768);
	assert_int_equal(1, infer_bisect_staircase(first, 9, &entry_rules, &to, next, 16));
	assert_true(next[0] == 6);
	assert_int_equal(0, infer_bisect_staircase(last, 9, &entry_rules, &to, next, 0));
}

/* Sizes in KiB that are measured next, in this order. */
static void expect_sizes(const struct curve_point *of_kib, unsigned n, unsigned count,
	const double *sizes)
{
	const struct resolution to = { .grain = 64, .ratio = 1.03 };
	struct curve_point p[32];
	double next[16];

	for (unsigned i = 0; i < n; i++)
		p[i] = (struct curve_point){ of_kib[i].x * KIB, of_kib[i].y };
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
static const struct curve_point cliffs[] = { { 1, 4 }, { 2, 4 }, { 4, 4 }, { 8, 16 }, { 16, 16 },
	{ 32, 16 }, { 64, 16 }, { 128, 80 }, { 256, 80 }, { 512, 80 } };
static const struct curve_point close_cliff[] = { { 8, 4 }, { 16, 4 }, { 32, 4 }, { 33, 16 },
	{ 64, 16 }, { 128, 16 }, { 256, 16 } };
static const struct curve_point soft[] = { { 64, 10 }, { 128, 10 }, { 256, 10 }, { 512, 10 },
	{ 1024, 10 }, { 1200, 16 }, { 1400, 22 }, { 1600, 28 }, { 1900, 34 }, { 2300, 40 },
	{ 4096, 40 }, { 8192, 40 }, { 16384, 40 } };
static const struct curve_point known[] = { { 64, 10 }, { 128, 10 }, { 256, 10 }, { 512, 10 },
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

/* A curve has INFER_POINTS points at most: one that scatters would be bisected beyond them. */
TEST(a_full_curve_is_not_bisected)
{
	const struct resolution to = { .from = 1, .grain = 1, .ratio = 1.03 };
	struct curve_point p[INFER_POINTS];
	double next[16];

	for (unsigned i = 0; i < INFER_POINTS; i++) /* a rise between 95 and 1096, too far apart */
		p[i] = (struct curve_point){ i < 96 ? i + 1 : 1000 + i, i < 96 ? 4 : 80 };
	assert_int_equal(0, infer_bisect_staircase(p, INFER_POINTS, &cache_rules, &to, next, 16));
	assert_true(infer_bisect_staircase(p, INFER_POINTS - 1, &cache_rules, &to, next, 16) == 1);
}

/* KiB; rises of 0: the edge is no range. */
static void expect_edge(const struct curve_point *of_kib, unsigned n, unsigned level,
	const struct estimate *expected)
{
	struct staircase s;
	struct curve_point p[32];

	for (unsigned i = 0; i < n; i++)
		p[i] = (struct curve_point){ of_kib[i].x * KIB, of_kib[i].y };
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

/* The entries of tables of sets, bisected on costs that scatter: see synthetic.h. */

#define SEEDS 100

static const struct noisy {
	unsigned first, second, ways; /* entries of the levels, and the ways of the second */
	double noise;                 /* standard deviation over the cost, after the offset */
	unsigned exact;               /* of SEEDS, at least */
} all[] = {
	{ 64, 1536, 12, 0, 100 },
	{ 64, 1536, 12, 0.002, 100 },
	{ 64, 1536, 12, 0.005, 97 },
	{ 48, 2048, 8, 0.005, 82 },
	{ 36, 1280, 5, 0.005, 82 },
	{ 96, 3072, 12, 0.005, 79 },
};

/* One measurement of a count, in core cycles. */
static double measure(const struct synthetic *m, double x, double noise, struct random *r)
{
	double y = synthetic_time(m, 64 * x);

	return y + gauss(r) * noise * (y + entry_rules.offset);
}

/* The edge of the second level, as bisection finds it with that seed. */
static struct estimate second_edge(const struct noisy *of, uint64_t seed)
{
	const struct resolution to = { .grain = 1, .ratio = 1 };
	const struct synthetic m = { 2,
		{ { of->first * 64., 0.01, 4, POLICY_LRU },
			{ of->second * 64., 7, of->ways, POLICY_LRU } },
		30, 0, 0, 64 };
	struct curve_point p[INFER_POINTS];
	struct staircase s;
	struct random r;
	double next[16];
	unsigned n = 0, count;

	random_seed(&r, seed);
	while (n < 13) {
		p[n] = (struct curve_point){ 4 << n, measure(&m, 4 << n, of->noise, &r) };
		n++;
	}
	while (n + 16 < INFER_POINTS &&
		(count = infer_bisect_staircase(p, n, &entry_rules, &to, next, 16)))
		for (unsigned k = 0; k < count; k++)
			insert_point(p, &n,
				(struct curve_point){
					next[k], measure(&m, next[k], of->noise, &r) });
	return infer_staircase(p, n, &entry_rules, &s) > 1 ? s.level[1].edge
							   : not_resolved(s.reason);
}

TEST(scatter_moves_few_edges)
{
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		unsigned exact = 0;

		for (uint64_t seed = 1; seed <= SEEDS; seed++)
			exact += second_edge(&all[i], seed).value == all[i].second;
		if (exact < all[i].exact)
			fail_msg("%u entries, noise of %g: expected %u of %u exact, came %u",
				all[i].second, all[i].noise, all[i].exact, SEEDS, exact);
	}
}
