/* SPDX-License-Identifier: MIT */
/* Rows of `backend`: their samples, and where their edges are looked for. */
#include "tests/unit/flushed_lines.h"

static bool can_be_run(const struct row *row)
{
	return !(row->needs & NEED_AVX512) ||
		(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"));
}

/* Each kind with none, few, and the most fillers between its misses. */
TEST(each_row_does_what_it_says)
{
	unsigned ready = 0;

	plan_small("backend", PROFILE_FULL);
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

/*
 * Each sample flushes every line that both chains will load; a failed flush fails the row's proof.
 */
TEST(both_misses_of_a_pair_are_flushed)
{
	plan_small("backend", PROFILE_FULL);
	expect_ready(row_planned("store entries=256 bytes=4194304"));
	room.call = noted_call;
	job.refresh(&planner, &job);
	uint64_t ends = after(job.args[0], job.args[2]) + after(job.args[1], job.args[2]);

	assert_int_equal(2 * (job.args[2] + 1), flushed.n);
	assert_int_equal(job.args[1], after(job.args[0], 16384));
	assert_int_equal(job.expect, ends);
	flushed.fails = true;
	job.refresh(&planner, &job);
	flushed.fails = false;
	assert_true(job.expect !=
		after(job.args[0], job.args[2]) + after(job.args[1], job.args[2]));
}

TEST(without_memory_for_code_there_is_no_row)
{
	plan_small("backend", PROFILE_FULL);
	expect_code_needed(&plan.rows[0], "no 12 KiB for generated code");
}

static double ns_of(const struct row *row)
{
	return row_get(row, "entries", 0) <= (strcmp(row->variant, "store") ? 500 : 110) ? 100
											 : 200;
}

TEST(edges_are_bisected)
{
	double low, high;

	plan_small("backend", PROFILE_FULL);
	assert_true(bisect_rows(ns_of, "store", "entries", 110, &low, &high) < 8);
	assert_true(low == 110 && high == 111);
}
