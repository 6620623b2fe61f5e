/* SPDX-License-Identifier: MIT */
/* Rows of `backend`: their samples, and where their edges are looked for. */
#include "tests/unit/fake_code.h"
#include "tests/unit/flushed_lines.h"
#include "tests/unit/test.h"

static void start(void)
{
	plan_small("backend", PROFILE_FULL);
	give_code_memory(&room);
}

static bool can_be_run(const struct row *row)
{
	return !(row->needs & NEED_AVX512) ||
		(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"));
}

/* Each kind with none, few, and the most fillers between its misses. */
TEST(each_row_does_what_it_says)
{
	unsigned ready = 0;

	start();
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		double entries = row_get(row, "entries", 0);

		if ((entries > 6 && entries < 704) || !can_be_run(row))
			continue;
		expect_ready(row);
		expect_sample(row);
		expect_sample(row); /* from where the first one ended */
		ready++;
	}
	assert_true(ready >= 25);
}

/* What is not flushed is not measured. */
TEST(both_misses_of_a_pair_are_flushed)
{
	start();
	expect_ready(row_planned("store entries=256 bytes=4194304"));
	room.call = noted_call;
	job.refresh(&planner, &job);
	assert_int_equal(2 * (job.args[2] + 1), flushed.n);
	assert_int_equal(job.args[1], after(job.args[0], 16384));
	assert_int_equal(job.expect,
		after(job.args[0], job.args[2]) + after(job.args[1], job.args[2]));
	flushed.fails = true;
	job.refresh(&planner, &job);
	flushed.fails = false;
	assert_true(job.expect !=
		after(job.args[0], job.args[2]) + after(job.args[1], job.args[2]));
}

TEST(without_memory_for_code_there_is_no_row)
{
	start();
	code_memory.unsealed = true;
	assert_int_equal(-1, make_ready(&plan.rows[0]));
	assert_string_equal("generated code cannot be made executable", job.skip);
	code_memory.refused = true;
	assert_int_equal(-1, make_ready(&plan.rows[0]));
	assert_string_equal("no 12 KiB for generated code", job.skip);
}

/* Rows that overlap up to so many entries: what bisection plans next, until there is none. */
TEST(edges_are_bisected)
{
	static struct result results[1200];
	unsigned from = 0, rounds = 0, low = 0, high = 1000;

	start();
	planner.results = results;
	while (from < plan.n && rounds++ < 20) {
		for (; from < plan.n; from++) {
			const struct row *row = &plan.rows[from];
			unsigned x = (unsigned)row_get(row, "entries", 0);
			bool store = !strcmp(row->variant, "store");
			double ns = x <= (store ? 110 : 500) ? 100 : 200;

			low = store && x <= 110 && x > low ? x : low;
			high = store && x > 110 && x < high ? x : high;
			results[planner.nresults++] = (struct result){ .row = row,
				.median = ns,
				.min = ns,
				.max = ns,
				.samples = 9,
				.page_bytes = PAGE_2M };
		}
		planner.probe->hooks->plan_edges(&planner);
	}
	assert_int_equal(110, low);
	assert_int_equal(111, high);
	assert_true(rounds < 8);
}
