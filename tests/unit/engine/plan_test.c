/* SPDX-License-Identifier: MIT */
/* Tests the choice of planned rows. */
#include "engine/answers.h"
#include "engine/emit.h"
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

/* Rows of a larger profile are counted, not planned; what is asked for by name is planned. */
TEST(a_profile_has_its_answers)
{
	const struct row of_full = { .variant = "a", .answer = ANSWER_METHODS };

	plan_add(&b, &of_full);
	plan_add(&b, &of_full);
	assert_int_equal(0, plan.n);
	assert_int_equal(2, plan.beyond[ANSWER_METHODS]);
	plan_between(&b, &of_full);
	assert_int_equal(2, plan.beyond[ANSWER_METHODS]);
	strcpy(options.probes, "test");
	plan_add(&b, &of_full);
	assert_int_equal(1, plan.n);
	options = (struct options){ .profile = PROFILE_FULL };
	plan_add(&b, &of_full);
	assert_int_equal(2, plan.n);
	assert_string_equal("latency by Groot Koerkamp's methods", answer_text(ANSWER_METHODS));
}

/* More rows than the table holds, as very many processors could make: none vanishes in silence. */
TEST(what_the_table_cannot_hold_is_a_skip)
{
	static struct emit emit;
	const struct row row = { .variant = "one-too-many" };

	b.emit = &emit;
	for (unsigned i = 0; i < PLAN_ROWS; i++)
		plan_add(&b, &row);
	assert_string_equal(fake_out, "");
	plan_add(&b, &row);
	assert_int_equal(plan.n, PLAN_ROWS);
	assert_int_equal(b.skips, 1);
	assert_non_null(strstr(fake_out, "\"variant\":\"one-too-many\",\"reason\":\"the table"));
}

/* While edges are bisected: a row that could not be measured would be asked for again and again. */
TEST(a_bisected_row_is_planned_once)
{
	struct row row = { .variant = "a" };

	row_param(&row, "x", 1);
	for (unsigned i = 1; i <= 2; i++) {
		plan_add(&b, &row);
		assert_int_equal(i, plan.n);
	}
	plan_between(&b, &row);
	assert_int_equal(2, plan.n);
	for (unsigned i = 0; i < 6; i++) {
		row.page_bytes = i >= 2 ? PAGE_4K : 0;
		row.variant = i >= 4 ? "b" : "a";
		row.params[0].value = 2;
		plan_between(&b, &row);
		assert_int_equal(3 + i / 2, plan.n);
	}
}

TEST(a_row_needs_what_its_probe_needs)
{
	const struct probe in_ring_0 = { .name = "mine", .needs = NEED_RING0 };
	const struct row row = { .variant = "one", .needs = NEED_AVX };

	b.probe = &in_ring_0;
	plan_add(&b, &row);
	assert_int_equal(1, plan.n);
	assert_ptr_equal(&in_ring_0, plan.rows[0].probe);
	assert_true(plan.rows[0].needs == (NEED_RING0 | NEED_AVX));
}

/* Rows planned with and without prefetchers, again, or not at all. */

static const struct probe by_prefetch = { .name = "latency", .needs = BY_PREFETCH };

BEFORE_EACH(reset_twins)
{
	reset();
	options.prefetch = PREFETCH_BOTH;
	b.probe = &by_prefetch;
}

static void plan_by(row_adder *add, const char *variant)
{
	struct row row = { .variant = variant, .answer = ANSWER_LATENCY, .cost_ns = 50 };

	row_param(&row, "n", 3);
	add(&b, &row);
}

static void plan_one(const char *variant)
{
	plan_by(plan_add, variant);
}

TEST(a_twin_has_no_prefetchers_and_an_answer_of_its_own)
{
	const struct row *one = &plan.rows[0], *twin = &plan.rows[1];

	plan_one("a");
	assert_int_equal(2, plan.n);
	assert_true(row_get(one, "prefetch", -1) == 1 && row_get(twin, "prefetch", -1) == 0);
	assert_true(!one->no_prefetch && twin->no_prefetch);
	assert_int_equal(ANSWER_LATENCY, one->answer);
	assert_int_equal(ANSWER_NO_PREFETCH, twin->answer);
	assert_true(one->cost_ns == 50 && twin->cost_ns == 50);
	plan.n = 0;
	b.prefetch.why = "no effect";
	plan_one("a");
	assert_true(one->cost_ns == 50 && twin->cost_ns == 0); /* it is skipped */
	plan.n = 0;
	plan_by(plan_between, "a");
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
		assert_int_equal(times, again->remeasured);
		assert_true(row_get(again, "again", -1) == times);
		assert_true(row_get(again, "n", -1) == 3);
		assert_int_equal(2, again->nparams);
		assert_false(plan.done[times] || plan.left_out[times]);
	}
	assert_false(plan_repeat(&b, &plan.rows[0], 2));
}
