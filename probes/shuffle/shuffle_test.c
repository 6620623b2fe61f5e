/* SPDX-License-Identifier: MIT */
/* Rows of `shuffle`: what the array holds, that each sample has its own seed, and the check. */
#include "tests/unit/prepared.h"

static uint32_t *elements;

static void ready(const char *text, enum profile profile)
{
	plan_small("shuffle", profile);
	spoil_arena();
	expect_ready(row_planned(text));
	elements = argument(0);
}

/* All numbers below n, in order at first; shuffled, each is still there once. */
TEST(all_elements_are_shuffled)
{
	bool seen[4096] = { false };
	unsigned in_place = 0;

	ready("fisher-yates bytes=16384 elements=4096", PROFILE_DEFAULT);
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(i, elements[i]);
	expect_sample(job.row);
	for (unsigned i = 0; i < 4096; i++) {
		assert_in_range(elements[i], 0, 4095);
		assert_false(seen[elements[i]]);
		seen[elements[i]] = true;
		in_place += elements[i] == i;
	}
	assert_in_range(in_place, 0, 10);
}

TEST(each_sample_has_its_seed)
{
	uint64_t seeds[3];

	ready("fisher-yates bytes=16384 elements=4096", PROFILE_DEFAULT);
	for (unsigned i = 0; i < 3; i++) {
		expect_sample(job.row);
		seeds[i] = job.args[2];
		assert_true(seeds[i] != 0);
	}
	assert_true(seeds[0] != seeds[1] && seeds[1] != seeds[2]);
}

TEST(a_lost_element_is_noticed)
{
	static const unsigned at[] = { 0, 1, 4094, 4095 };

	ready("fisher-yates bytes=16384 elements=4096", PROFILE_DEFAULT);
	expect_sample(job.row);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t was = elements[at[i]];

		elements[at[i]] = elements[2000];
		assert_false(job.check(&planner, &job));
		elements[at[i]] = was;
	}
	assert_true(job.check(&planner, &job));
}

TEST(ten_samples_as_the_source_has)
{
	ready("fisher-yates bytes=16384 elements=4096", PROFILE_DEFAULT);
	assert_int_equal(10, job.min_samples);
	ready("fisher-yates bytes=4194304 elements=1048576", PROFILE_FULL);
	assert_int_equal(10, job.min_samples);
}

/* Sizes are whole lines, up to 128 MiB. */
TEST(sizes_are_whole_lines)
{
	unsigned largest_of_them = 0;

	arena_bytes = GIB;
	plan_of(probe_named("shuffle"), PROFILE_FULL);
	for (unsigned i = 0; i < plan.n; i++) {
		uint64_t bytes = (uint64_t)row_get(&plan.rows[i], "bytes", 0);

		assert_int_equal(0, bytes % 64);
		largest_of_them = bytes > largest_of_them ? (unsigned)bytes : largest_of_them;
	}
	assert_int_equal(128 * MIB, largest_of_them);
}

static double cost_of_an_element(double bytes)
{
	for (unsigned i = 0; i < plan.n; i++)
		if (row_get(&plan.rows[i], "bytes", 0) == bytes)
			return plan.rows[i].cost_ns / row_get(&plan.rows[i], "elements", 0);
	fail_msg("no row of %g bytes is planned", bytes);
	return 0;
}

/* Beyond 16 MiB three samples are enough, and three calls to warm up come before all of them. */
TEST(long_arrays_have_few_samples)
{
	const double each = 3 * pace.ns_per_near_load + pace.ns_per_far_load / 8;

	arena_bytes = GIB;
	smallest = 16 * KIB + 512; /* of which 1024 times as much is 16.5 MiB */
	plan_of(probe_named("shuffle"), PROFILE_DEFAULT);
	assert_true(cost_of_an_element(8.25 * MIB) == 13 * each);
	assert_true(cost_of_an_element(16.5 * MIB) == 6 * each);
	smallest = 0;
	plan_of(probe_named("shuffle"), PROFILE_DEFAULT);
	assert_true(cost_of_an_element(16 * MIB) == 13 * each);
}

/* No more than 128 MiB, though 129 would fit. */
TEST(no_array_is_larger_than_128_mib)
{
	smallest = 16 * KIB + 64; /* of which 8192 times as much is 128.5 MiB */
	arena_bytes = 1471 * MIB / 10;
	plan_of(probe_named("shuffle"), PROFILE_DEFAULT);
	smallest = 0;
	assert_true(sweep_limit(&planner) > 128.5 * MIB && sweep_limit(&planner) < 129 * MIB);
	for (unsigned i = 0; i < plan.n; i++)
		assert_in_range(row_get(&plan.rows[i], "bytes", 0), 16 * KIB, 128 * MIB);
}
