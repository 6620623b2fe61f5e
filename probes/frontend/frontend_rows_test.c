/* SPDX-License-Identifier: MIT */
/* Rows of `frontend`: their samples, and where their edges are looked for. */
#include "tests/unit/prepared.h"

TEST(each_row_does_what_it_says)
{
	plan_small("frontend", PROFILE_FULL);
	assert_true(plan.n > 70);
	for (unsigned i = 0; i < plan.n; i++) {
		expect_ready(&plan.rows[i]);
		expect_sample(&plan.rows[i]);
		assert_int_equal(0, job.empty_args[2]);
		assert_int_equal(1, room.call(&room, job.loop, job.empty_args).value);
	}
}

TEST(without_memory_for_code_there_is_no_row)
{
	plan_small("frontend", PROFILE_FULL);
	expect_code_needed(&plan.rows[0], "no 2 KiB for generated code");
}

static double ns_of(const struct row *row)
{
	double bytes = row_get(row, "bytes", 0);

	assert_int_equal(0, (unsigned)bytes % 32);
	return bytes <= 20480 ? 0.1 : 0.3;
}

/* The step of a kind lies within a twentieth; no size is planned twice. */
TEST(edges_are_bisected)
{
	double low, high;

	plan_small("frontend", PROFILE_FULL);
	assert_true(bisect_rows(ns_of, "dense", "bytes", 20480, &low, &high) < 8);
	assert_true(low == 20480 && high <= 1.05 * 20480);
}
