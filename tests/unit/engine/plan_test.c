/* SPDX-License-Identifier: MIT */
/* The rows that are left out when time is short. */
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

/* Rows a, b, c ... ; what is left out of them in `ns`. */
static void expect(const char *expected, double ns, const struct row *rows, unsigned n)
{
	char gone[128] = "";

	plan.n = 0;
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
	assert_true(plan_fit(&plan, 0, 30) == 30);
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
	const struct row of_full = { .variant = "a", .answer = ANSWER_METHODS };

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
	b.bisecting = true;
	plan_add(&b, &row);
	assert_int_equal(2, plan.n);
	for (unsigned i = 0; i < 6; i++) {
		row.page_bytes = i >= 2 ? PAGE_4K : 0;
		row.variant = i >= 4 ? "b" : "a";
		row.params[0].value = 2;
		plan_add(&b, &row);
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

static uint32_t cache_mib; /* of level 3: 16 ways of 64 bytes */

static struct cpuid of_cache(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf == 0)
		return (struct cpuid){ 3 | 3 << 5, 15u << 22 | 63, cache_mib * 1024 - 1, 0 };
	return (struct cpuid){ 0 };
}

/* And to a gigabyte at least, but to no more than there is. */
TEST(sweeps_go_to_four_times_the_largest_cache)
{
	room.cpuid = of_cache;
	b.arena.bytes = 16 * GIB;
	cache_mib = 252;
	assert_int_equal(GIB, sweep_limit(&b));
	cache_mib = 504;
	assert_int_equal(4 * 504 * MIB, sweep_limit(&b));
	room.facts.memory_bytes = 4 * GIB;
	assert_int_equal(GIB, sweep_limit(&b));
	b.arena.bytes = 512 * MIB;
	assert_int_equal(448 * MIB, sweep_limit(&b));
}

typedef unsigned sweep_fn(const struct bench *, uint64_t from, uint64_t to, uint64_t round,
	uint64_t out[SIZES_MOST]);

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
	expect_sizes("128 192 384 832", sweep, 100, 1000, 64); /* rounded */
	expect_sizes("100 200 400 800", sweep, 100, 1000, 1);
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
	options.smallest = 150;
	options.largest = 500;
	expect_sizes("150 212 300 424", sweep, 100, 1000, 2);
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

/* Rows planned with and without prefetchers, again, or not at all. */

static const struct probe by_prefetch = { .name = "latency", .needs = BY_PREFETCH };

BEFORE_EACH(reset_twins)
{
	reset();
	options.prefetch = PREFETCH_BOTH;
	b.probe = &by_prefetch;
}

static void plan_one(const char *variant)
{
	struct row row = { .variant = variant, .answer = ANSWER_LATENCY, .cost_ns = 50 };

	row_param(&row, "n", 3);
	plan_add(&b, &row);
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
		assert_int_equal(times, again->remeasured);
		assert_true(row_get(again, "again", -1) == times);
		assert_true(row_get(again, "n", -1) == 3);
		assert_int_equal(2, again->nparams);
		assert_false(plan.done[times] || plan.left_out[times]);
	}
	assert_false(plan_repeat(&b, &plan.rows[0], 2));
}

/* Rows beyond the plan belong to an earlier run. */
TEST(rows_beyond_the_plan_do_not_count)
{
	options.prefetch = PREFETCH_ON;
	plan_one("a");
	plan_one("b");
	plan.rows[2] = (struct row){ .variant = "c", .answer = ANSWER_CLOCK, .cost_ns = 900 };
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
