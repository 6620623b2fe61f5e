/* SPDX-License-Identifier: MIT */
/* Tests the rows left out when time is short, and the estimated time of the others. */
#include "engine/plan_time.h"
#include "tests/unit/fake_room.h"

static struct plan plan;
static struct options options;
static struct room room;
static const struct probe probe = { .name = "test" };
static struct bench b;

BEFORE_EACH(reset)
{
	memset(&plan, 0, sizeof plan);
	options = (struct options){ .profile = PROFILE_DEFAULT };
	fake_reset(&room);
	b = (struct bench){ .plan = &plan, .probe = &probe, .opt = &options, .room = &room };
}

static double row_most_ns;
static bool parts;

/* Rows a, b, c ... ; what is left out of them in `ns`. */
static void expect(const char *expected, double ns, const struct row *rows, unsigned n)
{
	char gone[128] = "";

	plan.n = 0;
	for (unsigned i = 0; i < n; i++)
		plan_add(&b, &rows[i]);
	plan_fit(&plan, 0, ns, row_most_ns, parts);
	for (unsigned i = 0; i < n; i++)
		if (plan.left_out[i])
			strncat(gone, rows[i].variant, sizeof gone - strlen(gone) - 1);
	assert_string_equal(expected, gone);
}

/* An answer is planned whole or not at all; where it does not fit, a lesser one may. */
TEST(answers_are_whole)
{
	static const struct row rows[] = { { .variant = "a", .answer = ANSWER_TLB, .cost_ns = 50 },
		{ .variant = "b", .answer = ANSWER_PATTERNS, .cost_ns = 10 },
		{ .variant = "c", .answer = ANSWER_PATTERNS, .cost_ns = 20 },
		{ .variant = "d", .answer = ANSWER_WAYS, .cost_ns = 25 } };

	expect("", 105, rows, 4);
	expect("d", 104, rows, 4);
	expect("bc", 79, rows, 4);
	expect("bcd", 74, rows, 4);
	expect("ad", 49, rows, 4);
	expect("abc", 29, rows, 4);
	expect("abcd", 0, rows, 4);
}

/* Measured rows take no more time, so that the rest of an answer may fit. */
TEST(the_rest_of_an_answer)
{
	static const struct row rows[] = {
		{ .variant = "a", .answer = ANSWER_TLB, .cost_ns = 50 },
		{ .variant = "b", .answer = ANSWER_TLB, .cost_ns = 20 },
		{ .variant = "c", .answer = ANSWER_WAYS, .cost_ns = 10 },
	};

	expect("ab", 30, rows, 3);
	plan_bring_back(&plan, 0);
	plan.done[0] = true;
	assert_true(plan_fit(&plan, 0, 30, 0, false) == 30);
	assert_false(plan.left_out[1] || plan.left_out[2]);
	assert_false(plan_bring_back(&plan, 0));
}

/* A core answer loses its costliest rows, after all lesser answers. */
TEST(core_answers_lose_rows)
{
	static const struct row rows[] = {
		{ .variant = "a", .answer = ANSWER_BANDWIDTH, .cost_ns = 50 },
		{ .variant = "b", .answer = ANSWER_BANDWIDTH, .cost_ns = 5 },
		{ .variant = "c", .answer = ANSWER_LATENCY, .cost_ns = 30 },
		{ .variant = "d", .answer = ANSWER_LATENCY, .cost_ns = 20 },
		{ .variant = "e", .answer = ANSWER_WAYS, .cost_ns = 1 },
	};

	expect("", 106, rows, 5);
	expect("e", 105, rows, 5);
	expect("a", 104, rows, 5);
	expect("ae", 55, rows, 5);
	expect("ab", 54, rows, 5);
	expect("ac", 49, rows, 5);
	expect("abcd", 4, rows, 5);
}

/* A row that would eat the time of the others waits until they are done. */
TEST(a_costly_row_of_a_core_answer_waits)
{
	static const struct row rows[] = {
		{ .variant = "a", .answer = ANSWER_LATENCY, .cost_ns = 60 },
		{ .variant = "b", .answer = ANSWER_LATENCY, .cost_ns = 20 },
		{ .variant = "c", .answer = ANSWER_WAYS, .cost_ns = 61 },
	};

	row_most_ns = 50;
	expect("a", 1000, rows, 3);
	row_most_ns = 60;
	expect("", 1000, rows, 3);
	expect("a", 100, rows, 3); /* core answers leave others a part of the time, and */
	row_most_ns = 0;
	expect("", 1000, rows, 3);
	expect("c", 100, rows, 3); /* take all of it in the end */
}

/* Rows between those of a curve help one by one. */
TEST(rows_of_a_bisection_are_no_whole)
{
	static const struct row rows[] = {
		{ .variant = "a", .answer = ANSWER_TLB, .cost_ns = 50 },
		{ .variant = "b", .answer = ANSWER_TLB, .cost_ns = 20 },
	};

	parts = true;
	expect("a", 30, rows, 2);
	parts = false;
	expect("ab", 30, rows, 2);
}

TEST(the_most_wanted_is_the_cheapest_of_the_best)
{
	static const struct row rows[] = { { .variant = "a", .answer = ANSWER_TLB, .cost_ns = 50 },
		{ .variant = "b", .answer = ANSWER_TLB, .cost_ns = 20 },
		{ .variant = "c", .answer = ANSWER_WAYS, .cost_ns = 1 } };

	expect("abc", 0, rows, 3);
	assert_int_equal(plan_most_wanted(&plan, 0), 1);
	plan.done[1] = true;
	assert_int_equal(plan_most_wanted(&plan, 0), 0);
	assert_int_equal(plan_most_wanted(&plan, 2), 2);
	plan_bring_back(&plan, 0);
	assert_int_equal(plan_most_wanted(&plan, 0), plan.n);
}

/*
 * If rows are left out, the others take only the time that they need: the rest is for the rows left
 * out.
 */
TEST(shares_leave_time_for_what_was_left_out)
{
	static const struct row rows[] = { { .variant = "a", .answer = ANSWER_TLB, .cost_ns = 10 },
		{ .variant = "b", .answer = ANSWER_WAYS, .cost_ns = 500 } };

	expect("", 1000, rows, 2);
	assert_true(plan_share(&plan, 0, 0, 1000, 510) == 255);
	expect("b", 100, rows, 2);
	assert_true(plan_share(&plan, 0, 0, 100, 10) == 15);
	assert_true(plan_share(&plan, 0, 0, 100, 100) == 10);
	assert_true(plan_share(&plan, 0, 0, 10000, 10000) == 30);
}

/* A replay is shown however late it is if its row was measured; otherwise it is not tried. */
TEST(replays_go_with_their_row_only)
{
	static const struct row rows[] = {
		{ .variant = "a", .answer = ANSWER_NOISE, .cost_ns = 50 },
		{ .variant = "b", .answer = ANSWER_NOISE, .replays = true },
		{ .variant = "c", .answer = ANSWER_NOISE, .replays = true },
		{ .variant = "d", .answer = ANSWER_CLOCK, .cost_ns = 20 }
	};

	expect("", 70, rows, 4);
	expect("abc", 60, rows, 4);
	expect("d", -5, rows + 1, 3);
	expect("", -5, rows + 1, 2);
}

static void expect_share(double expected, double cost, double left_ns, double planned_ns)
{
	plan.rows[1].cost_ns = cost;
	double came = plan_share(&plan, 1, 1, left_ns, planned_ns);

	if (came != expected)
		fail_msg("%g of %g ns, %g planned: expected %g, came %g", cost, left_ns, planned_ns,
			expected, came);
}

/* One of five rows belongs to another part and one is done: three share the spare time. */
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

static void plan_one(const char *variant)
{
	struct row row = { .variant = variant, .answer = ANSWER_LATENCY, .cost_ns = 50 };

	row_param(&row, "n", 3);
	plan_add(&b, &row);
}

/* Rows beyond the plan belong to an earlier run. */
TEST(rows_beyond_the_plan_do_not_count)
{
	plan_one("a");
	plan_one("b");
	plan.rows[2] = (struct row){ .variant = "c", .answer = ANSWER_CLOCK, .cost_ns = 900 };
	plan.left_out[2] = plan.done[2] = false;
	assert_true(plan_fit(&plan, 0, 1000, 0, false) == 100);
	assert_true(plan_share(&plan, 0, 0, 200, 100) == 100); /* a half of the rest each */
	assert_true(plan_share(&plan, 0, 0, 100.5, 100) == 50.25);
	assert_true(plan_fit(&plan, 0, 50.5, 0, false) == 50);
	assert_true(plan_bring_back(&plan, 0));
	assert_false(plan_bring_back(&plan, 0));
	plan.left_out[2] = true;
	assert_false(plan_bring_back(&plan, 0));
	assert_int_equal(2, plan_most_wanted(&plan, 0));
	plan.left_out[2] = false;
	plan.rows[0].cost_ns = plan.rows[1].cost_ns = 0.25;
	assert_true(plan_fit(&plan, 0, 1, 0, false) == 0.5);
	assert_true(plan_fit(&plan, 0, -1, 0, false) == 0);
	assert_true(plan.left_out[0] && plan.left_out[1]);
}

/* Rows that are compared with the first of their set go with it, and it goes after all others. */
TEST(rows_of_a_set_rest_on_its_first)
{
	static const struct row rows[] = {
		{ .variant = "a", .answer = ANSWER_LATENCY, .cost_ns = 30, .set = 1 },
		{ .variant = "b", .answer = ANSWER_LATENCY, .cost_ns = 10, .set = 1 },
		{ .variant = "c", .answer = ANSWER_LATENCY, .cost_ns = 20, .set = 1 },
		{ .variant = "d", .answer = ANSWER_LATENCY, .cost_ns = 15, .set = 2 },
		{ .variant = "e", .answer = ANSWER_LATENCY, .cost_ns = 5 }
	};

	expect("", 80, rows, 5);
	expect("c", 79, rows, 5);
	expect("cd", 59, rows, 5);
	expect("bcd", 44, rows, 5);
	expect("abcd", 34, rows, 5);
}

/* The first of a set that stands alone is of no use: what follows it goes with it at once. */
TEST(a_set_goes_with_its_first)
{
	static const struct row rows[] = {
		{ .variant = "a", .answer = ANSWER_LATENCY, .cost_ns = 1, .set = 1 },
		{ .variant = "b",
			.answer = ANSWER_LATENCY,
			.cost_ns = 1,
			.set = 1,
			.replays = true },
		{ .variant = "c", .answer = ANSWER_LATENCY, .cost_ns = 10, .set = 1 },
		{ .variant = "d", .answer = ANSWER_LATENCY, .cost_ns = 10 }
	};

	expect("", 22, rows, 4);
	expect("c", 21, rows, 4);
	expect("cd", 3, rows, 4);
	expect("abcd", 0, rows, 4);
}
