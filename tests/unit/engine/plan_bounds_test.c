/* SPDX-License-Identifier: MIT */
/* engine/plan.c at the bounds of its rules: sizes of a sweep, which row goes first, shares. */
#include <stdio.h>
#include <string.h>

#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/test.h"

typedef unsigned sweep_fn(const struct bench *, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST]);

static struct plan plan;
static const struct probe probe = { .name = "test" };
static struct options options;
static struct room room;
static struct bench b = { .plan = &plan, .probe = &probe, .opt = &options, .room = &room };

BEFORE_EACH(reset)
{
	memset(&plan, 0, sizeof plan);
	options = (struct options){ .profile = PROFILE_DEFAULT };
	b.bisecting = false;
}

static void expect_sizes(const char *expected, sweep_fn *make, uint64_t from, uint64_t to,
	uint64_t round)
{
	uint64_t out[SIZES_MOST];
	unsigned n = make(&b, from, to, round, out);
	char came[512] = "";

	for (unsigned i = 0; i < n; i++)
		snprintf(came + strlen(came), sizeof came - strlen(came), "%s%lu", i ? " " : "",
			out[i]);
	if (strcmp(expected, came))
		fail_msg("%lu..%lu in steps of %lu: expected '%s', came '%s'", from, to, round,
			expected, came);
}

TEST(sizes_of_a_sweep)
{
	uint64_t out[SIZES_MOST];

	expect_sizes("64 128 192 256 384 512", sweep, 64, 512, 64);
	expect_sizes("64 128 256 512", sweep_coarse, 64, 512, 64);
	expect_sizes("64 128 192 256 384", sweep, 16, 511, 64);
	expect_sizes("1 2 4 5 8", sweep, 1, 8, 1);
	expect_sizes("", sweep, 9, 8, 1);
	options.profile = PROFILE_SMOKE;
	expect_sizes("64 128 256 512", sweep, 64, 512, 64);
	expect_sizes("64 128 256 512", sweep_coarse, 64, 512, 64);
	options.profile = PROFILE_FULL;
	expect_sizes("64 128 192 256 320 384 448 512", sweep, 64, 512, 64);
	expect_sizes("64 128 192 256 384 512", sweep_coarse, 64, 512, 64);
	assert_int_equal(SIZES_MOST, sweep(&b, 1024, 1ULL << 50, 64, out));
	assert_int_equal(1ULL << 41, out[SIZES_MOST - 4]);
}

/* The user's bounds are of buffers, not of counts. */
TEST(bounds_of_the_user)
{
	options.smallest = 128;
	options.largest = 256;
	expect_sizes("128 192 256", sweep, 64, 512, 64);
	expect_sizes("256", sweep, 256, 512, 64);
	expect_sizes("1 2 4 5 8", sweep, 1, 8, 1);
	options.largest = 1024;
	expect_sizes("128 192 256 384 512", sweep, 64, 512, 64);
}

/* Level 3 of 16 ways and lines of 64 bytes, 252 MiB in all: four times it is less than 1 GiB. */
static struct cpuid of_252_mib(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	(void)e;
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf == 0)
		return (struct cpuid){ 3 | 3 << 5, 15u << 22 | 63, 252 * 1024 - 1, 0 };
	return (struct cpuid){ 0 };
}

TEST(a_sweep_goes_to_a_gigabyte_at_least)
{
	room.cpuid = of_252_mib;
	b.arena.bytes = 16 * GIB;
	assert_int_equal(GIB, sweep_limit(&b));
}

static void expect_out_before(bool replays, const char *expected, double ns, const unsigned *ranks,
	const double *costs)
{
	char came[16] = "";
	unsigned n = 0;

	reset();
	for (; costs[n] > 0; n++)
		plan.rows[n] = (struct row){ .drop_order = ranks[n], .cost_ns = costs[n] };
	plan.n = n;
	plan.rows[n] = (struct row){ .drop_order = DROP_FIRST, .cost_ns = 1e6, .replays = replays };
	plan_fit(&plan, 0, ns);
	assert_false(plan.left_out[n]); /* beyond those that there are */
	for (unsigned i = 0; i < n; i++)
		if (plan.left_out[i])
			came[strlen(came)] = (char)('a' + i);
	if (strcmp(expected, came))
		fail_msg("in %g ns: expected '%s' left out, came '%s'", ns, expected, came);
}

/* Rows a, b, c ... of these ranks and costs; which are left out, whatever is behind them. */
static void expect_out(const char *expected, double ns, const unsigned *ranks, const double *costs)
{
	expect_out_before(false, expected, ns, ranks, costs);
	expect_out_before(true, expected, ns, ranks, costs);
}

#define RANKS(...) ((const unsigned[]){ __VA_ARGS__ })
#define COSTS(...) ((const double[]){ __VA_ARGS__, 0 })

/* A fiftieth of what is too much is worth saving; less is not. Of equal rows the first one goes. */
TEST(which_row_goes_first)
{
	expect_out("", 20, RANKS(DROP_LATE, DROP_LATE), COSTS(10, 10));
	expect_out("a", 19, RANKS(DROP_LATE, DROP_LATE), COSTS(10, 10));
	expect_out("ab", 50, RANKS(DROP_EARLY, DROP_LATE), COSTS(1, 99));
	expect_out("ab", 50, RANKS(DROP_EARLY, DROP_LATE), COSTS(1.5, 99));
	expect_out("b", 50, RANKS(DROP_EARLY, DROP_LATE), COSTS(0.9, 99.1));
	expect_out("a", 10, RANKS(DROP_EARLY, DROP_FIRST), COSTS(50, 0.5));
	/* Two extra rows are together just worth it. */
	expect_out("ab", 50, RANKS(DROP_EARLY, DROP_FIRST, DROP_FIRST), COSTS(99, 0.5, 0.5));
	expect_out("a", 50, RANKS(DROP_EARLY, DROP_FIRST, DROP_FIRST), COSTS(99, 0.4, 0.5));
	/* An extra row that is worth it goes before a cheap one that is wanted even less. */
	expect_out("b", 50, RANKS(DROP_LATE, DROP_FIRST, DROP_FIRST + 2), COSTS(40, 60, 0.1));
}

TEST(a_row_that_was_planned_first_is_known)
{
	struct row row = { .variant = "a" };

	row_param(&row, "x", 1);
	b.bisecting = true;
	plan_add(&b, &row);
	plan_add(&b, &row);
	assert_int_equal(1, plan.n);
	row.page_bytes = PAGE_4K;
	plan_add(&b, &row);
	assert_int_equal(2, plan.n);
	row.variant = "b";
	plan_add(&b, &row);
	assert_int_equal(3, plan.n);
}

TEST(a_row_is_repeated_so_many_times)
{
	struct row row = { .variant = "a", .level = "l1" };

	plan_add(&b, &row);
	for (unsigned i = 1; i <= 2; i++) {
		assert_true(plan_repeat(&b, &plan.rows[0], 2));
		assert_int_equal(i + 1, plan.n);
		assert_int_equal(i, plan.rows[i].again);
		assert_true(row_get(&plan.rows[i], PARAM_AGAIN, 0) == i);
		assert_null(plan.rows[i].level);
	}
	assert_false(plan_repeat(&b, &plan.rows[0], 2));
	assert_int_equal(3, plan.n);
	plan.left_out[0] = plan.left_out[3] = true; /* the latter is none */
	assert_int_equal(0, plan_most_wanted(&plan, 0));
	assert_int_equal(3, plan_most_wanted(&plan, 1));
}

TEST(a_row_has_eight_parameters)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i" };
	struct row row = { .variant = "v" };

	for (unsigned i = 0; i < 9; i++)
		row_param(&row, names[i], i + 1);
	assert_int_equal(8, row.nparams);
	for (unsigned i = 0; i < 9; i++)
		assert_true(row_get(&row, names[i], -5) == (i < 8 ? i + 1 : -5.));
}

/* A tenth of the profile's 10 s. */
TEST(what_may_be_kept)
{
	double most = 0.1 * profile_seconds(PROFILE_SMOKE) * 1e9;

	options.profile = PROFILE_SMOKE;
	assert_true(may_keep(&b, most));
	assert_false(may_keep(&b, 1.0001 * most));
}

static void expect_share(double expected, double cost, double left_ns, double planned_ns)
{
	plan.rows[1].cost_ns = cost;
	double came = plan_share(&plan, 1, 1, left_ns, planned_ns);

	if (came != expected)
		fail_msg("%g of %g ns, %g planned: expected %g, came %g", cost, left_ns, planned_ns,
			expected, came);
}

/* Of five rows the first is another part's, one is done: three share what is spare. */
TEST(shares_of_what_is_spare)
{
	plan.n = 5;
	plan.done[3] = true;
	expect_share(10 + 90 / 3., 10, 190, 100);
	expect_share(10, 10, 100, 100);
	expect_share(10, 10, 90, 100);
	plan.left_out[0] = true; /* none of this part */
	expect_share(10 + 90 / 3., 10, 190, 100);
	plan.left_out[4] = true;
	expect_share(15, 10, 190, 100);
	expect_share(10 + 8 / 2., 10, 108, 100);
	expect_share(30, 10, 10000, 10000); /* a thousandth of what is left */
	expect_share(10.5, 10.5, 10000, 10000);
}
