/* SPDX-License-Identifier: MIT */
/* Rows planned with and without prefetchers, again, or not at all; their sizes and sums. */
#include <string.h>

#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/test.h"

static struct plan plan;
static struct options options;
static struct room room;
static const struct probe by_prefetch = { .name = "latency", .needs = BY_PREFETCH };
static struct bench b;

BEFORE_EACH(reset)
{
	plan.n = 0;
	options = (struct options){ .profile = PROFILE_SMOKE, .prefetch = PREFETCH_BOTH };
	b = (struct bench){ .plan = &plan, .probe = &by_prefetch, .opt = &options, .room = &room };
}

static void plan_one(const char *variant)
{
	struct row row = { .variant = variant, .drop_order = DROP_LATE, .cost_ns = 50 };

	row_param(&row, "n", 3);
	plan_add(&b, &row);
}

TEST(a_twin_has_no_prefetchers_and_a_higher_rank)
{
	const struct row *one = &plan.rows[0], *twin = &plan.rows[1];

	plan_one("a");
	assert_int_equal(2, plan.n);
	assert_true(row_get(one, "prefetch", -1) == 1 && row_get(twin, "prefetch", -1) == 0);
	assert_true(!one->no_prefetch && twin->no_prefetch);
	assert_int_equal(DROP_LATE, one->drop_order);
	assert_int_equal(DROP_LATE + DROP_FIRST - DROP_EARLY, twin->drop_order);
	assert_true(one->cost_ns == 50 && twin->cost_ns == 50);
	plan.n = 0;
	b.prefetch.why = "no effect";
	plan_one("a");
	assert_true(one->cost_ns == 50 && twin->cost_ns == 0); /* it is skipped */
	plan.n = 0;
	b.bisecting = true;
	plan_one("a");
	assert_int_equal(1, plan.n);
	assert_true(row_get(one, "prefetch", -1) == 1);
}

TEST(others_have_no_twin)
{
	static const struct probe plain = { .name = "latency", .needs = NEED_CPUS };

	options.prefetch = PREFETCH_OFF;
	plan_one("a");
	assert_int_equal(1, plan.n);
	assert_true(row_get(&plan.rows[0], "prefetch", -1) == -1);
	options.prefetch = PREFETCH_BOTH;
	b.probe = &plain;
	plan_one("a");
	assert_int_equal(2, plan.n);
	b.probe = &by_prefetch;
	plan.n = PLAN_ROWS - 1;
	plan.tried = true;
	plan_one("a"); /* there is no place for its twin */
	assert_int_equal(PLAN_ROWS, plan.n);
	plan.tried = false;
}

TEST(variants_may_be_asked_for)
{
	options.prefetch = PREFETCH_ON;
	strcpy(options.probes, "latency:a");
	plan_one("a");
	assert_int_equal(1, plan.n);
	plan_one("b");
	assert_int_equal(1, plan.n);
	strcpy(options.probes, "clock"); /* what others rest on is measured whole */
	plan_one("b");
	assert_int_equal(2, plan.n);
}

/* The row, and the same again as often as is asked; at no level of its own. */
TEST(a_row_is_repeated)
{
	options.prefetch = PREFETCH_ON;
	plan_one("a");
	plan.rows[0].level = "l1";
	plan.done[1] = plan.left_out[1] = plan.done[2] = true;
	for (unsigned times = 1; times <= 2; times++) {
		const struct row *again = &plan.rows[times];

		assert_true(plan_repeat(&b, &plan.rows[times - 1], 2));
		assert_int_equal(times + 1, plan.n);
		assert_null(again->level);
		assert_int_equal(times, again->again);
		assert_true(row_get(again, "again", -1) == times);
		assert_true(row_get(again, "n", -1) == 3);
		assert_int_equal(2, again->nparams);
		assert_false(plan.done[times] || plan.left_out[times]);
	}
	assert_false(plan_repeat(&b, &plan.rows[0], 2));
}

static void expect_sizes(const char *what, uint64_t round, unsigned n, const uint64_t *expected)
{
	uint64_t sizes[SIZES_MOST];
	unsigned came = sweep(&b, 100, 1000, round, sizes);

	if (came != n || memcmp(sizes, expected, n * sizeof *sizes))
		fail_msg("%s: expected %u sizes, came %u, the first is %llu", what, n, came,
			(unsigned long long)sizes[0]);
}

#define SIZES(what, round, ...)                                                                    \
	expect_sizes(what, round, sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),    \
		(const uint64_t[]){ __VA_ARGS__ })

/* The user's bounds are of buffers, which have a grain; counts have none. */
TEST(sweeps_are_rounded_and_bounded)
{
	SIZES("lines", 64, 128, 192, 384, 832);
	SIZES("counts", 1, 100, 200, 400, 800);
	options.largest = 500;
	options.smallest = 150;
	SIZES("lines from 150 to 500", 64, 128, 320);
	SIZES("pairs from 150 to 500", 2, 150, 300);
	SIZES("counts, all of them", 1, 100, 200, 400, 800);
	options.profile = PROFILE_DEFAULT;
	SIZES("two an octave", 2, 150, 212, 300, 424);
}

/* What lies beyond the plan is of an earlier run. */
TEST(rows_beyond_the_plan_do_not_count)
{
	options.prefetch = PREFETCH_ON;
	plan_one("a");
	plan_one("b");
	plan.rows[2] = (struct row){ .variant = "c", .drop_order = DROP_FIRST, .cost_ns = 900 };
	plan.left_out[2] = plan.done[2] = false;
	assert_true(plan_fit(&plan, 0, 1000) == 100);
	assert_true(plan_share(&plan, 0, 0, 200, 100) == 100); /* a half of the rest each */
	assert_true(plan_share(&plan, 0, 0, 100.5, 100) == 50.25);
	assert_true(plan_fit(&plan, 0, 50.5) == 50);
	assert_true(plan_bring_back(&plan, 0));
	assert_false(plan_bring_back(&plan, 0));
	plan.left_out[2] = true;
	assert_false(plan_bring_back(&plan, 0));
	assert_int_equal(2, plan_most_wanted(&plan, 0));
	plan.left_out[2] = false;
	plan.rows[0].cost_ns = plan.rows[1].cost_ns = 0.25;
	assert_true(plan_fit(&plan, 0, 1) == 0.5);
	assert_true(plan_fit(&plan, 0, -1) == 0);
	assert_true(plan.left_out[0] && plan.left_out[1]);
}
