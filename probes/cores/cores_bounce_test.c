/* SPDX-License-Identifier: MIT */
/* A line that two CPUs hand each other: which, who begins, and what its hand-overs prove. */
#include "tests/unit/cores_room.h"

static void hand_over(uint64_t first, uint64_t second)
{
	eight.hops[0] = first;
	eight.hops[1] = second;
}

BEFORE_EACH(reset);

TEST(a_line_goes_to_and_fro)
{
	eight.hop_ticks = 201;
	hand_over(400, 401);
	plan_kind("bounce");
	prepare(planned("bounce", "cpu_a", 0, "cpu_b", 3));
	assert_int_equal(9, job.min_samples);
	assert_int_equal(0, take());
	expect_did("0:flush 0:starts-3 0:first-200 3:second-200 ");
	near("ns", (201 * 200 - 30) / 400., sample.value);
	assert_int_equal(eight.line, eight.flushed);
	prepare(planned("bounce", "cpu_a", 2, "cpu_b", 5));
	assert_int_equal(0, take());
	expect_did("0:starts-2 2:flush 0:starts-2 0:starts-5 2:first-200 5:second-200 ");
	eight.deaf = 5;
	expect_skip("CPU 5 did not answer", false);
	eight.deaf = 2;
	expect_skip("CPU 2 did not answer", false);
	can_flush = false;
	prepare(planned("bounce", "cpu_a", 0, "cpu_b", 1));
	assert_int_equal(0, take());
	expect_did("0:starts-1 0:first-200 1:second-200 ");
}

TEST(hand_overs_are_counted)
{
	hand_over(400, 401);
	plan_kind("bounce");
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
TEST(lines_are_from_everywhere)
{
	uint64_t least = UINT64_MAX, most = 0;

	hand_over(400, 401);
	plan_kind("bounce");
	prepare(planned("bounce", "cpu_a", 4, "cpu_b", 7));
	for (unsigned i = 0; i < 100; i++) {
		memset(memory_of[1], 0xff, i ? 0 : NODE_BYTES);
		assert_int_equal(0, take());
		uint64_t at = eight.line - (uint64_t)(uintptr_t)memory_of[1];

		assert_true(at < NODE_BYTES && at % LINE_PAIR == 0);
		assert_int_equal(0, *(uint64_t *)(uintptr_t)eight.line);
		least = at < least ? at : least;
		most = at > most ? at : most;
	}
	assert_true(least < NODE_BYTES / 8 && most > NODE_BYTES / 8 * 7);
}

static void expect_cost(double ns)
{
	plan.n = 0;
	eight.bounces = 0;
	plan_kind("bounce");
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];

		expect_about("cost", ns, row->cost_ns);
		assert_int_equal(row_get(row, "cpu_a", -1) ? ANSWER_OTHER_PAIRS : ANSWER_PAIRS,
			row->answer);
	}
}

static int third_time_deaf(struct room *e, unsigned cpu, void (*begin)(void *), void *arg)
{
	static unsigned times;

	return ++times % 3 ? run_on(e, cpu, begin, arg) : -1;
}

/* By the quickest of three trials of a quarter of the rounds: twelve samples. */
TEST(a_trial_tells_what_pairs_cost)
{
	eight.slower[0] = 2000;
	eight.slower[2] = 1000;
	eight.hop_ticks = 1000;
	expect_cost(12 * (2 + 3) * 50 * 1000);
	assert_int_equal(CPUS * (CPUS - 1) / 2, plan.n);
	expect_did("0:starts-1 0:first-50 1:second-50 0:starts-1 0:first-50 1:second-50 "
		   "0:starts-1 0:first-50 1:second-50 ");
	assert_int_equal(0, b.work.used);
	eight.deaf = 1;
	expect_cost(0);
	eight.deaf = 0;
	b.work.bytes = 64;
	expect_cost(0);
	b.work.bytes = 64 * KIB;
	room.run_on = third_time_deaf;
	eight.slower[0] = 0;
	expect_cost(12 * (2 + 3) * 50 * (double)eight.hop_ticks);
	room.run_on = NULL;
	expect_cost(0);
	room.run_on = run_on;
	room.facts.cpus = 2;
	expect_cost(12 * (2 + 3) * 50 * (double)eight.hop_ticks);
	assert_int_equal(1, plan.n);
	*eight.did = 0;
	room.facts.cpus = 1;
	expect_cost(0);
	assert_int_equal(0, plan.n);
	assert_int_equal(0, b.work.used);
	expect_did("");
}

/* The number of a pair among those without the first CPU: 1 and 2, 1 and 3, ... */
static uint64_t number_of(const struct row *row, unsigned n)
{
	unsigned a = (unsigned)row_get(row, "cpu_a", 0), at = (unsigned)row_get(row, "cpu_b", 0);
	uint64_t number = at - a - 1;

	assert_true(a < at && at < n);
	for (unsigned i = 1; i < a; i++)
		number += n - 1 - i;
	return number;
}

/*
 * Beyond 64 CPUs, the pairs without the first CPU are split into 1024 parts; one pair of each is
 * measured.
 */
TEST(pairs_are_from_every_part)
{
	const uint64_t others = 64 * 63 / 2;

	room.run_on = NULL;
	room.facts.topology = NULL;
	room.facts.cpus = 64;
	plan_kind("bounce");
	assert_int_equal(64 * 63 / 2, plan.n);
	room.facts.cpus = 65;
	for (unsigned seed = 0; seed < 20; seed++) {
		random_seed(&b.random, seed);
		plan.n = 0;
		plan_kind("bounce");
		assert_int_equal(64 + 1024, plan.n);
		for (unsigned part = 0; part < 1024; part++) {
			uint64_t number = number_of(&plan.rows[64 + part], 65);

			if (number < part * others / 1024 || number >= (part + 1) * others / 1024)
				fail_msg("part %u has pair %u", part, (unsigned)number);
		}
	}
}

TEST(a_pair_may_lack_memory)
{
	plan_kind("bounce");
	for (unsigned lack = 0; lack < 2; lack++) {
		const struct row *row = planned("bounce", "cpu_a", 4, "cpu_b", 5);

		b.work.bytes = lack ? 64 * KIB : 64;
		job = (struct job){ .row = row, .arena = b.arena };
		room.arena_on = lack ? NULL : arena_on;
		assert_int_equal(-1, row->prepare(&b, row, &job));
		assert_true(*job.skip);
	}
}
