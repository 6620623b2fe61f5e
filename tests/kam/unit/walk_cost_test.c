/* SPDX-License-Identifier: MIT */
/* The judge's costs of translation, computed by hand. */
#include "tests/kam/judge/bandwidth_bound.h"
#include "tests/kam/judge/walk_cost.h"
#include "tests/unit/test.h"

#define CLOSE 1e-9

/* Four entries for pages of 2 MiB, then so many for 4 KiB and 2 MiB; a hit there takes 8 cycles. */
static struct cpu few_entries(unsigned stlb, unsigned stlb_2m, unsigned walk)
{
	struct cpu c;

	cpu_init(&c);
	c.dtlb_2m = 4;
	c.stlb = stlb;
	c.stlb_2m = stlb_2m;
	c.stlb_latency = 8;
	c.walk = walk;
	return c;
}

/* Four of 16 pages of 2 MiB are in the first level, four more in the second; eight are walked. */
TEST(test_large_pages_that_no_level_holds)
{
	struct cpu c = few_entries(8, 8, 40);
	struct translated t = translated(&c, 32 << 20, 2 << 20);

	assert_float_equal(t.walked, 0.5, CLOSE);
	assert_float_equal(t.walk, 40, CLOSE);
	assert_float_equal(t.cycles, 0.25 * 8 + 0.5 * 40, CLOSE);
	assert_float_equal(translation_cycles(&c, 8 << 20), 0, CLOSE);
	assert_float_equal(translation_cycles(&c, 16 << 20), 0.5 * 8, CLOSE);
}

/* The second level for 4 KiB pages holds those of 2 MiB as well, where these have none. */
TEST(test_one_second_level_for_both)
{
	struct cpu c = few_entries(8, 0, 40);

	assert_float_equal(translation_cycles(&c, 32 << 20), 22, CLOSE);
}

/* 16384 pages, four to an entry: 64 of 4096 entries, 1536 of them. */
TEST(test_small_pages_that_share_entries)
{
	struct translated t;
	struct cpu c;

	cpu_init(&c);
	c.coalesce = 4;
	t = translated(&c, 64 << 20, 4 << 10);
	assert_float_equal(t.walked, 0.625, CLOSE);
	assert_float_equal(t.cycles, (0.375 - 64 / 4096.) * 7 + 0.625 * 30, CLOSE);
}

/* 32 regions of 2 MiB, of which eight upper entries are held. */
TEST(test_walks_without_an_upper_entry)
{
	struct cpu c;

	cpu_init(&c);
	c.upper = 8;
	c.walk_upper = 12;
	assert_float_equal(translated(&c, 64 << 20, 4 << 10).walk, 30 + 0.75 * 12, CLOSE);
}

/* One walker, which every second load takes for 100 cycles: a load in 50 cycles. */
TEST(test_walks_bound_the_misses_in_parallel)
{
	struct cpu c = few_entries(8, 8, 100);
	struct translated t = translated(&c, 32 << 20, 2 << 20);

	c.walkers = 1;
	assert_float_equal(parallel_misses_bound(&c, &t), (200 + 52) / 50., CLOSE);
	c.walkers = 8;
	assert_float_equal(parallel_misses_bound(&c, &t), 10 * 252 / 200., CLOSE);
	assert_float_equal(parallel_misses_bound(&c, NULL), 10, CLOSE);
}

/*
 * Lines of 1536 pages, and as many of tables, fit L2, 256 KiB; of 2049 they do not, while the
 * control still does: a walk costs 30 + 14 - 4, or 30 + 42 - 14 + 42 - 4, and nothing between.
 */
TEST(test_a_walk_is_of_one_level_or_of_another)
{
	struct walk_cost w;
	struct cpu c;

	cpu_init(&c);
	c.walk_loads = 1;
	w = walk_cost(&c, 4e9, 4 << 10, 1536, 3072);
	assert_float_equal(w.low, 40, CLOSE);
	assert_float_equal(w.high, 96, CLOSE);
	assert_float_equal(w.below, 40, CLOSE);
	assert_float_equal(w.above, 96, CLOSE);
}

/* The lines of 600 to 1200 pages, with tables or without, are in L2. */
TEST(test_a_walk_within_one_level_has_one_cost)
{
	struct walk_cost w;
	struct cpu c;

	cpu_init(&c);
	c.walk_loads = 1;
	w = walk_cost(&c, 4e9, 4 << 10, 600, 1200);
	assert_float_equal(w.low, w.high, CLOSE);
	assert_float_equal(w.below, w.above, CLOSE);
	assert_float_equal(w.low, 40, CLOSE);
}
