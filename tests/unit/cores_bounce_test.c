/* SPDX-License-Identifier: MIT */
/* A line that two CPUs hand each other: which, who begins, and what its hand-overs prove. */
#include "tests/unit/cores_room.h"

static void hand_over(uint64_t first, uint64_t second)
{
	room.hops[0] = first;
	room.hops[1] = second;
}

static void a_line_goes_to_and_fro(void **state)
{
	(void)state;
	room.hop_ticks = 201;
	hand_over(400, 401);
	cores_plan_bounce(&b);
	prepare(planned("bounce", "cpu_a", 0, "cpu_b", 3));
	assert_int_equal(9, job.min_samples);
	assert_int_equal(0, take());
	expect_did("0:flush 0:starts-3 0:first-200 3:second-200 ");
	near("ns", (201 * 200 - 30) / 400., sample.value);
	assert_int_equal(room.line, room.flushed);
	prepare(planned("bounce", "cpu_a", 2, "cpu_b", 5));
	assert_int_equal(0, take());
	expect_did("0:starts-2 2:flush 0:starts-2 0:starts-5 2:first-200 5:second-200 ");
	room.deaf = 5;
	expect_skip("CPU 5 did not answer", false);
	room.deaf = 2;
	expect_skip("CPU 2 did not answer", false);
	can_flush = false;
	prepare(planned("bounce", "cpu_a", 0, "cpu_b", 1));
	assert_int_equal(0, take());
	expect_did("0:starts-1 0:first-200 1:second-200 ");
}

static void hand_overs_are_counted(void **state)
{
	(void)state;
	hand_over(400, 401);
	cores_plan_bounce(&b);
	prepare(planned("bounce", "cpu_a", 0, "cpu_b", 1));
	hand_over(399, 401);
	expect_skip("a CPU was taken away: 399 of 400 hand-overs", false);
	hand_over(400, 400);
	expect_skip("a CPU was taken away: 400 of 400 hand-overs", false);
	hand_over(401, 401);
	expect_skip("proof failed: the line was handed over 401 times, not 400", true);
	hand_over(400, 402);
	expect_skip("proof failed: the line was handed over 400 times, not 400", true);
}

/* Any line of the first CPU's node, which is written before. */
static void lines_are_from_everywhere(void **state)
{
	uint64_t least = UINT64_MAX, most = 0;

	(void)state;
	hand_over(400, 401);
	cores_plan_bounce(&b);
	prepare(planned("bounce", "cpu_a", 4, "cpu_b", 7));
	for (unsigned i = 0; i < 100; i++) {
		memset(memory_of[1], 0xff, i ? 0 : NODE_BYTES);
		assert_int_equal(0, take());
		uint64_t at = room.line - (uint64_t)(uintptr_t)memory_of[1];

		assert_true(at < NODE_BYTES && at % LINE_PAIR == 0);
		assert_int_equal(0, *(uint64_t *)(uintptr_t)room.line);
		least = at < least ? at : least;
		most = at > most ? at : most;
	}
	assert_true(least < NODE_BYTES / 8 && most > NODE_BYTES / 8 * 7);
}

static void expect_cost(double ns, bool all_kept)
{
	plan.n = 0;
	room.bounces = 0;
	cores_plan_bounce(&b);
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		expect_about("cost", ns, row->cost_ns);
		assert_int_equal(all_kept || !row_get(row, "cpu_a", -1), row->kept);
	}
}

/* By the quickest of three trials of a quarter of the rounds: twelve samples. */
static void a_trial_tells_what_pairs_cost(void **state)
{
	(void)state;
	room.slower[0] = 2000;
	room.slower[2] = 1000;
	room.hop_ticks = 1000;
	expect_cost(12 * (2 + 3) * 50 * 1000, true);
	assert_int_equal(CPUS * (CPUS - 1) / 2, plan.n);
	expect_did("0:starts-1 0:first-50 1:second-50 0:starts-1 0:first-50 1:second-50 "
		   "0:starts-1 0:first-50 1:second-50 ");
	room.hop_ticks = 1000000;
	expect_cost(12 * (2 + 3) * 50 * 1e6, false);
	assert_int_equal(0, b.work.used);
	room.deaf = 1;
	expect_cost(0, true);
	room.deaf = 0;
	b.work.bytes = 64;
	expect_cost(0, true);
	b.work.bytes = 64 * KIB;
	env.run_on = NULL;
	expect_cost(0, true);
	env.run_on = run_on;
	*room.did = 0;
	env.facts.cpus = 1;
	expect_cost(0, true);
	assert_int_equal(0, plan.n);
	assert_int_equal(0, b.work.used);
	expect_did("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_line_goes_to_and_fro, reset),
		cmocka_unit_test_setup(hand_overs_are_counted, reset),
		cmocka_unit_test_setup(a_trial_tells_what_pairs_cost, reset),
		cmocka_unit_test_setup(lines_are_from_everywhere, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
