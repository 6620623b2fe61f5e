/* SPDX-License-Identifier: MIT */
/* Which rows are left out when time is short. */
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

/* An answer is planned whole or not at all; where it does not fit, a lesser one may. */
TEST(answers_are_whole)
{
	static const struct row rows[] = { { .variant = "a", .answer = ANSWER_TLB, .cost_ns = 50 },
		{ .variant = "b", .answer = ANSWER_WINDOW, .cost_ns = 10 },
		{ .variant = "c", .answer = ANSWER_WINDOW, .cost_ns = 20 },
		{ .variant = "d", .answer = ANSWER_WAYS, .cost_ns = 25 } };

	expect("", 105, rows, 4);
	expect("d", 104, rows, 4);
	expect("bc", 79, rows, 4);
	expect("bcd", 74, rows, 4);
	expect("ad", 49, rows, 4);
	expect("abc", 29, rows, 4);
	expect("abcd", 0, rows, 4);
}

/* What is measured already takes no time, and the rest of an answer may fit. */
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
	assert_true(plan_fit(&plan, 0, 30) == 30);
	assert_false(plan.left_out[1] || plan.left_out[2]);
	assert_false(plan_bring_back(&plan, 0));
}

/* Of a core answer the costliest rows go, and not before those of lesser ones. */
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

	plan.row_most_ns = 50;
	expect("a", 1000, rows, 3);
	plan.row_most_ns = 60;
	expect("", 1000, rows, 3);
	expect("a", 100, rows, 3); /* core answers leave others a part of the time, and */
	plan.row_most_ns = 0;
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

	plan.parts = true;
	expect("a", 30, rows, 2);
	plan.parts = false;
	expect("ab", 30, rows, 2);
}

/* Rows of a larger profile are counted, not planned; what is asked for by name is planned. */
TEST(a_profile_has_its_answers)
{
	static struct options options = { .profile = PROFILE_DEFAULT };
	const struct row of_full = { .variant = "a", .answer = ANSWER_METHODS };
	struct room room = { 0 };
	struct bench b = { .plan = &plan, .probe = &probe, .opt = &options, .room = &room };

	memset(&plan, 0, sizeof plan);
	plan_add(&b, &of_full);
	plan_add(&b, &of_full);
	assert_int_equal(0, plan.n);
	assert_int_equal(2, plan.beyond[ANSWER_METHODS]);
	b.bisecting = true;
	plan_add(&b, &of_full);
	b.bisecting = false;
	assert_int_equal(2, plan.beyond[ANSWER_METHODS]);
	strcpy(options.probes, "test");
	plan_add(&b, &of_full);
	assert_int_equal(1, plan.n);
	options = (struct options){ .profile = PROFILE_FULL };
	plan_add(&b, &of_full);
	assert_int_equal(2, plan.n);
	assert_string_equal("latency by Groot Koerkamp's methods", answer_text(ANSWER_METHODS));
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

/* Where rows are left out, the others take what they need: the rest of the time is for those. */
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

/* What was measured is shown, however late it is; what was not is not tried. */
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

/* engine/plan.c at the bounds of its rules: sizes of a sweep, which row goes first, shares. */

typedef unsigned sweep_fn(const struct bench *, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST]);

static struct plan plan_bounds;
static const struct probe probe_bounds = { .name = "test" };
static struct options options;
static struct room room;
static struct bench b = {
	.plan = &plan_bounds, .probe = &probe_bounds, .opt = &options, .room = &room
};

BEFORE_EACH(reset)
{
	memset(&plan_bounds, 0, sizeof plan_bounds);
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

TEST(a_row_that_was_planned_first_is_known)
{
	struct row row = { .variant = "a" };

	row_param(&row, "x", 1);
	b.bisecting = true;
	plan_add(&b, &row);
	plan_add(&b, &row);
	assert_int_equal(1, plan_bounds.n);
	row.page_bytes = PAGE_4K;
	plan_add(&b, &row);
	assert_int_equal(2, plan_bounds.n);
	row.variant = "b";
	plan_add(&b, &row);
	assert_int_equal(3, plan_bounds.n);
}

TEST(a_row_is_repeated_so_many_times)
{
	struct row row = { .variant = "a", .level = "l1" };

	plan_add(&b, &row);
	for (unsigned i = 1; i <= 2; i++) {
		assert_true(plan_repeat(&b, &plan_bounds.rows[0], 2));
		assert_int_equal(i + 1, plan_bounds.n);
		assert_int_equal(i, plan_bounds.rows[i].remeasured);
		assert_true(row_get(&plan_bounds.rows[i], PARAM_AGAIN, 0) == i);
		assert_null(plan_bounds.rows[i].level);
	}
	assert_false(plan_repeat(&b, &plan_bounds.rows[0], 2));
	assert_int_equal(3, plan_bounds.n);
	plan_bounds.left_out[0] = plan_bounds.left_out[3] = true; /* the latter is none */
	assert_int_equal(0, plan_most_wanted(&plan_bounds, 0));
	assert_int_equal(3, plan_most_wanted(&plan_bounds, 1));
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

static void expect_share(double expected, double cost, double left_ns, double planned_ns)
{
	plan_bounds.rows[1].cost_ns = cost;
	double came = plan_share(&plan_bounds, 1, 1, left_ns, planned_ns);

	if (came != expected)
		fail_msg("%g of %g ns, %g planned: expected %g, came %g", cost, left_ns, planned_ns,
			expected, came);
}

/* Of five rows the first is another part's, one is done: three share what is spare. */
TEST(shares_of_what_is_spare)
{
	plan_bounds.n = 5;
	plan_bounds.done[3] = true;
	expect_share(10 + 90 / 3., 10, 190, 100);
	expect_share(10, 10, 100, 100);
	expect_share(10, 10, 90, 100);
	plan_bounds.left_out[0] = true; /* none of this part */
	expect_share(10 + 90 / 3., 10, 190, 100);
	plan_bounds.left_out[4] = true;
	expect_share(15, 10, 190, 100);
	expect_share(10 + 8 / 2., 10, 108, 100);
	expect_share(30, 10, 10000, 10000); /* a thousandth of what is left */
	expect_share(10.5, 10.5, 10000, 10000);
}

/* Rows planned with and without prefetchers, again, or not at all; their sizes and sums. */

static struct plan plan_twins;
static struct options options_twins;
static struct room room_twins;
static const struct probe by_prefetch = { .name = "latency", .needs = BY_PREFETCH };
static struct bench b_twins;

BEFORE_EACH(reset_twins)
{
	plan_twins.n = 0;
	options_twins = (struct options){ .profile = PROFILE_DEFAULT, .prefetch = PREFETCH_BOTH };
	b_twins = (struct bench){ .plan = &plan_twins,
		.probe = &by_prefetch,
		.opt = &options_twins,
		.room = &room_twins };
}

static void plan_one(const char *variant)
{
	struct row row = { .variant = variant, .answer = ANSWER_LATENCY, .cost_ns = 50 };

	row_param(&row, "n", 3);
	plan_add(&b_twins, &row);
}

TEST(a_twin_has_no_prefetchers_and_an_answer_of_its_own)
{
	const struct row *one = &plan_twins.rows[0], *twin = &plan_twins.rows[1];

	plan_one("a");
	assert_int_equal(2, plan_twins.n);
	assert_true(row_get(one, "prefetch", -1) == 1 && row_get(twin, "prefetch", -1) == 0);
	assert_true(!one->no_prefetch && twin->no_prefetch);
	assert_int_equal(ANSWER_LATENCY, one->answer);
	assert_int_equal(ANSWER_NO_PREFETCH, twin->answer);
	assert_true(one->cost_ns == 50 && twin->cost_ns == 50);
	plan_twins.n = 0;
	b_twins.prefetch.why = "no effect";
	plan_one("a");
	assert_true(one->cost_ns == 50 && twin->cost_ns == 0); /* it is skipped */
	plan_twins.n = 0;
	b_twins.bisecting = true;
	plan_one("a");
	assert_int_equal(1, plan_twins.n);
	assert_true(row_get(one, "prefetch", -1) == 1);
}

TEST(others_have_no_twin)
{
	static const struct probe plain = { .name = "latency", .needs = NEED_CPUS };

	options_twins.prefetch = PREFETCH_OFF;
	plan_one("a");
	assert_int_equal(1, plan_twins.n);
	assert_true(row_get(&plan_twins.rows[0], "prefetch", -1) == -1);
	options_twins.prefetch = PREFETCH_BOTH;
	b_twins.probe = &plain;
	plan_one("a");
	assert_int_equal(2, plan_twins.n);
	b_twins.probe = &by_prefetch;
	plan_twins.n = PLAN_ROWS - 1;
	plan_twins.tried = true;
	plan_one("a"); /* there is no place for its twin */
	assert_int_equal(PLAN_ROWS, plan_twins.n);
	plan_twins.tried = false;
}

TEST(variants_may_be_asked_for)
{
	options_twins.prefetch = PREFETCH_ON;
	strcpy(options_twins.probes, "latency:a");
	plan_one("a");
	assert_int_equal(1, plan_twins.n);
	plan_one("b");
	assert_int_equal(1, plan_twins.n);
	strcpy(options_twins.probes, "clock"); /* what others rest on is measured whole */
	plan_one("b");
	assert_int_equal(2, plan_twins.n);
}

/* The row, and the same again as often as is asked; at no level of its own. */
TEST(a_row_is_repeated)
{
	options_twins.prefetch = PREFETCH_ON;
	plan_one("a");
	plan_twins.rows[0].level = "l1";
	plan_twins.done[1] = plan_twins.left_out[1] = plan_twins.done[2] = true;
	for (unsigned times = 1; times <= 2; times++) {
		const struct row *again = &plan_twins.rows[times];

		assert_true(plan_repeat(&b_twins, &plan_twins.rows[times - 1], 2));
		assert_int_equal(times + 1, plan_twins.n);
		assert_null(again->level);
		assert_int_equal(times, again->remeasured);
		assert_true(row_get(again, "again", -1) == times);
		assert_true(row_get(again, "n", -1) == 3);
		assert_int_equal(2, again->nparams);
		assert_false(plan_twins.done[times] || plan_twins.left_out[times]);
	}
	assert_false(plan_repeat(&b_twins, &plan_twins.rows[0], 2));
}

static void expect_sizes_twins(const char *what, uint64_t round, unsigned n,
	const uint64_t *expected)
{
	uint64_t sizes[SIZES_MOST];
	unsigned came = sweep(&b_twins, 100, 1000, round, sizes);

	if (came != n || memcmp(sizes, expected, n * sizeof *sizes))
		fail_msg("%s: expected %u sizes, came %u, the first is %llu", what, n, came,
			(unsigned long long)sizes[0]);
}

#define SIZES(what, round, ...)                                                                    \
	expect_sizes_twins(what, round,                                                            \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),                      \
		(const uint64_t[]){ __VA_ARGS__ })

/* The user's bounds are of buffers, which have a grain; counts have none. */
TEST(sweeps_are_rounded_and_bounded)
{
	options_twins.profile = PROFILE_SMOKE;
	SIZES("lines", 64, 128, 192, 384, 832);
	SIZES("counts", 1, 100, 200, 400, 800);
	options_twins.largest = 500;
	options_twins.smallest = 150;
	SIZES("lines from 150 to 500", 64, 128, 320);
	SIZES("pairs from 150 to 500", 2, 150, 300);
	SIZES("counts, all of them", 1, 100, 200, 400, 800);
	options_twins.profile = PROFILE_DEFAULT;
	SIZES("two an octave", 2, 150, 212, 300, 424);
}

/* What lies beyond the plan is of an earlier run. */
TEST(rows_beyond_the_plan_do_not_count)
{
	options_twins.prefetch = PREFETCH_ON;
	plan_one("a");
	plan_one("b");
	plan_twins.rows[2] = (struct row){ .variant = "c", .answer = ANSWER_CLOCK, .cost_ns = 900 };
	plan_twins.left_out[2] = plan_twins.done[2] = false;
	assert_true(plan_fit(&plan_twins, 0, 1000) == 100);
	assert_true(plan_share(&plan_twins, 0, 0, 200, 100) == 100); /* a half of the rest each */
	assert_true(plan_share(&plan_twins, 0, 0, 100.5, 100) == 50.25);
	assert_true(plan_fit(&plan_twins, 0, 50.5) == 50);
	assert_true(plan_bring_back(&plan_twins, 0));
	assert_false(plan_bring_back(&plan_twins, 0));
	plan_twins.left_out[2] = true;
	assert_false(plan_bring_back(&plan_twins, 0));
	assert_int_equal(2, plan_most_wanted(&plan_twins, 0));
	plan_twins.left_out[2] = false;
	plan_twins.rows[0].cost_ns = plan_twins.rows[1].cost_ns = 0.25;
	assert_true(plan_fit(&plan_twins, 0, 1) == 0.5);
	assert_true(plan_fit(&plan_twins, 0, -1) == 0);
	assert_true(plan_twins.left_out[0] && plan_twins.left_out[1]);
}

/* Names of a selection that no row has are known before anything is measured. */

static enum profile profile = PROFILE_SMOKE;

static void expect_unplanned(const char *list, const char *name, bool any)
{
	static struct room room;
	struct options options = { .profile = profile, .seed = 1 };
	struct unplanned u;

	fake_reset(&room);
	strcpy(options.probes, list);
	u = selection_unplanned(&room, &options);
	if (!name != !u.name || (name && (u.n != strlen(name) || memcmp(u.name, name, u.n))))
		fail_msg("'%s': expected '%s', got '%.*s'", list, name ? name : "none",
			(int)(u.name ? u.n : 0), u.name ? u.name : "");
	assert_int_equal(any, u.any);
	assert_string_equal("", fake_out);
}

TEST(the_first_name_without_rows)
{
	expect_unplanned("", NULL, true);
	expect_unplanned("clock,latency", NULL, true);
	expect_unplanned("clock:rdtsc,latency:pointer", NULL, true);
	expect_unplanned("clock:rdtsc,clock:rdtzc,latency:nosuch", "clock:rdtzc", true);
	expect_unplanned("clock:rdtzc,clock", "clock:rdtzc", true);
	expect_unplanned("latency:poin", "latency:poin", false);
	expect_unplanned("mlp:batch", "mlp:batch", false); /* not in profile smoke */
}

/* A probe without rows in this profile may be named; a short name may follow a long one. */
TEST(only_variants_must_have_rows)
{
	expect_unplanned("remedies,clock:rdtsc", NULL, true);
	expect_unplanned("clock:core-clock,clock:rdtsc", NULL, true);
	expect_unplanned("latency:pointer-padded,clock:rdtsc", NULL, true);
	expect_unplanned("remedies:x", "remedies:x", false);
}

/* Every probe is asked for its rows, in every profile. */
TEST(every_probe_is_planned)
{
	char name[64];

	for (unsigned i = 0; i < probe_count; i++) {
		snprintf(name, sizeof name, "%s:nosuch", probes[i].name);
		for (profile = PROFILE_SMOKE; profile <= PROFILE_FULL; profile++)
			expect_unplanned(name, name, false);
	}
	profile = PROFILE_SMOKE;
}
