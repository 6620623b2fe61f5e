/* SPDX-License-Identifier: MIT */
/* Which rows are left out when time is short. */
#include <string.h>

#include "engine/emit.h"
#include "engine/plan.h"
#include "engine/probe_api.h"
#include "tests/unit/fake_room.h"
#include "tests/unit/test.h"

static struct plan plan;
static const struct probe probe = { .name = "test" };
static char gone[128];

/* Rows a, b, c ... ; what is left out of them in `ns`. */
static void expect(const char *expected, double ns, const struct row *rows, unsigned n)
{
	static const struct options options = { .profile = PROFILE_SMOKE };
	struct room room = { 0 };
	struct bench b = { .plan = &plan, .probe = &probe, .opt = &options, .room = &room };

	plan.n = 0;
	gone[0] = 0;
	for (unsigned i = 0; i < n; i++)
		plan_add(&b, &rows[i]);
	plan_fit(&plan, 0, ns);
	for (unsigned i = 0; i < n; i++)
		if (plan.left_out[i])
			strncat(gone, rows[i].variant, sizeof gone - strlen(gone) - 1);
	assert_string_equal(expected, gone);
}

TEST(least_informative_first_then_costliest)
{
	static const struct row rows[] = {
		{ .variant = "a", .drop_order = DROP_LATE, .cost_ns = 50 },
		{ .variant = "b", .drop_order = DROP_EARLY, .cost_ns = 10 },
		{ .variant = "c", .drop_order = DROP_EARLY, .cost_ns = 20 }
	};

	expect("", 80, rows, 3);
	expect("c", 70, rows, 3);
	expect("bc", 50, rows, 3);
	expect("abc", 0, rows, 3);
}

/* A cheap row is not worth leaving out, but a hundred extra ones are, before one that is needed. */
TEST(many_extra_rows_go_before_a_costly_one)
{
	static const struct options options = { .profile = PROFILE_DEFAULT };
	const struct row main = { .variant = "a", .drop_order = DROP_LATE, .cost_ns = 50 };
	const struct row detail = { .variant = "b", .drop_order = DROP_EARLY, .cost_ns = 0.1 };
	const struct row extra = { .variant = "c", .drop_order = DROP_FIRST, .cost_ns = 1 };
	struct room room = { 0 };
	struct bench b = { .plan = &plan, .probe = &probe, .opt = &options, .room = &room };

	plan.n = 0;
	gone[0] = 0;
	plan_add(&b, &main);
	plan_add(&b, &detail);
	for (unsigned i = 0; i < 100; i++)
		plan_add(&b, &extra);
	plan_fit(&plan, 0, 90); /* 60 too much: a row of 1 is less than a part of 0.02 */
	assert_false(plan.left_out[0]);
	assert_false(plan.left_out[1]);
	plan_fit(&plan, 0, 40);
	assert_true(plan.left_out[0]); /* without all the others it is still too much */
	assert_false(plan.left_out[1]);
}

/* Each is less than a part of what is too much, and none is extra: as many go as must. */
TEST(many_cheap_rows_go_one_by_one)
{
	static const struct options options = { .profile = PROFILE_DEFAULT };
	const struct row cheap = { .variant = "a", .drop_order = DROP_EARLY, .cost_ns = 1 };
	struct room room = { 0 };
	struct bench b = { .plan = &plan, .probe = &probe, .opt = &options, .room = &room };
	unsigned left = 0;

	memset(&plan, 0, sizeof plan);
	for (unsigned i = 0; i < 200; i++)
		plan_add(&b, &cheap);
	plan_fit(&plan, 0, 50);
	for (unsigned i = 0; i < 200; i++)
		left += !plan.left_out[i];
	assert_int_equal(50, left);
}

/* Kept rows go last, whatever their rank and cost; done ones take no time any more. */
TEST(kept_rows_go_last)
{
	static const struct row rows[] = {
		{ .variant = "a", .drop_order = DROP_LAST, .cost_ns = 5 },
		{ .variant = "b", .drop_order = DROP_FIRST, .cost_ns = 0.01 },
		{ .variant = "c", .drop_order = DROP_EARLY, .cost_ns = 50, .first = true },
		{ .variant = "d", .drop_order = DROP_EARLY, .cost_ns = 20, .first = true }
	};

	expect("a", 72, rows, 4);
	expect("ab", 70, rows, 4);
	expect("abc", 60, rows, 4);
	plan.done[2] = true;
	plan_bring_back(&plan, 0);
	plan_fit(&plan, 0, 25.5);
	assert_false(plan.left_out[0] || plan.left_out[1] || plan.left_out[3]);
	assert_false(plan_bring_back(&plan, 0));
}

TEST(the_most_wanted_is_the_cheapest_of_the_best)
{
	static const struct row rows[] = {
		{ .variant = "a", .drop_order = DROP_LAST, .cost_ns = 50 },
		{ .variant = "b", .drop_order = DROP_LAST, .cost_ns = 20 },
		{ .variant = "c", .drop_order = DROP_EARLY, .cost_ns = 1 }
	};

	expect("abc", 0, rows, 3);
	assert_int_equal(plan_most_wanted(&plan, 0), 1);
	plan.done[1] = true;
	assert_int_equal(plan_most_wanted(&plan, 0), 0);
	assert_int_equal(plan_most_wanted(&plan, 2), 2);
	plan_bring_back(&plan, 0);
	assert_int_equal(plan_most_wanted(&plan, 0), plan.n);
}

/* Where rows are left out, the others take what they need: the rest of the time is for those. */
TEST(shares_leave_time_for_what_was_left_out)
{
	static const struct row rows[] = {
		{ .variant = "a", .drop_order = DROP_LATE, .cost_ns = 10 },
		{ .variant = "b", .drop_order = DROP_EARLY, .cost_ns = 500 }
	};

	expect("", 1000, rows, 2);
	assert_true(plan_share(&plan, 0, 0, 1000, 510) == 255);
	expect("b", 100, rows, 2);
	assert_true(plan_share(&plan, 0, 0, 100, 10) == 15);
	assert_true(plan_share(&plan, 0, 0, 100, 100) == 10);
	assert_true(plan_share(&plan, 0, 0, 10000, 10000) == 30);
}

/* What was measured is shown, however late it is; what was not is not tried. */
TEST(replays_go_with_their_row_only)
{
	static const struct row rows[] = {
		{ .variant = "a", .drop_order = DROP_MIDDLE, .cost_ns = 50 },
		{ .variant = "b", .drop_order = DROP_MIDDLE, .replays = true },
		{ .variant = "c", .drop_order = DROP_MIDDLE, .replays = true },
		{ .variant = "d", .drop_order = DROP_LATE, .cost_ns = 20 }
	};

	expect("", 70, rows, 4);
	expect("abc", 60, rows, 4);
	expect("d", -5, rows + 1, 3);
	expect("", -5, rows + 1, 2);
}

/* More rows than the table holds, as very many processors could make: none vanishes in silence. */
TEST(what_the_table_cannot_hold_is_a_skip)
{
	static const struct options options = { .profile = PROFILE_SMOKE };
	static struct emit emit;
	static struct room room;
	const struct row row = { .variant = "one-too-many" };
	struct bench b = {
		.plan = &plan, .probe = &probe, .opt = &options, .room = &room, .emit = &emit
	};

	fake_reset(&room);
	plan.n = 0;
	for (unsigned i = 0; i < PLAN_ROWS; i++)
		plan_add(&b, &row);
	assert_string_equal(fake_out, "");
	plan_add(&b, &row);
	assert_int_equal(plan.n, PLAN_ROWS);
	assert_int_equal(b.skips, 1);
	assert_non_null(strstr(fake_out, "\"variant\":\"one-too-many\",\"reason\":\"the table"));
}

static unsigned planned(struct bench *b, double x)
{
	struct row row = { .variant = "a" };

	row_param(&row, "x", x);
	plan_add(b, &row);
	return plan.n;
}

/* A row that could not be measured would be asked for again and again. */
TEST(a_bisected_row_is_planned_once)
{
	static const struct options options = { .profile = PROFILE_SMOKE };
	struct room room = { 0 };
	struct bench b = { .plan = &plan, .probe = &probe, .opt = &options, .room = &room };

	plan.n = 0;
	assert_int_equal(1, planned(&b, 1));
	assert_int_equal(2, planned(&b, 1));
	b.bisecting = true;
	assert_int_equal(2, planned(&b, 1));
	assert_int_equal(3, planned(&b, 2));
	assert_int_equal(3, planned(&b, 2));
}

TEST(a_row_needs_what_its_probe_needs)
{
	static const struct options options = { .profile = PROFILE_SMOKE };
	const struct probe in_ring_0 = { .name = "mine", .needs = NEED_RING0 };
	struct room room = { 0 };
	struct bench b = { .plan = &plan, .probe = &in_ring_0, .opt = &options, .room = &room };
	const struct row row = { .variant = "one", .needs = NEED_AVX };

	plan.n = 0;
	plan_add(&b, &row);
	assert_int_equal(1, plan.n);
	assert_ptr_equal(&in_ring_0, plan.rows[0].probe);
	assert_true(plan.rows[0].needs == (NEED_RING0 | NEED_AVX));
}

static struct cpuid of_a_large_cache(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	(void)room;
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf == 0) /* level 3: 16 ways of 64 bytes, 504 MiB in all */
		return (struct cpuid){ 3 | 3 << 5, 15u << 22 | 63, 504 * 1024 - 1, 0 };
	return (struct cpuid){ 0 };
}

TEST(sweeps_go_to_four_times_the_largest_cache)
{
	static const struct options options = { .profile = PROFILE_SMOKE };
	struct room room = { .cpuid = of_a_large_cache };
	struct bench b = { .plan = &plan, .probe = &probe, .opt = &options, .room = &room };

	b.arena.bytes = 16 * GIB;
	assert_int_equal(4 * 504 * MIB, sweep_limit(&b));
	room.facts.memory_bytes = 4 * GIB;
	assert_int_equal(GIB, sweep_limit(&b));
	b.arena.bytes = 512 * MIB;
	assert_int_equal(448 * MIB, sweep_limit(&b));
}
