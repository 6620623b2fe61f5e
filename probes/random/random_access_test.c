/* SPDX-License-Identifier: MIT */
/* Rows of `random`: which elements they access, what these hold, and whether all were written. */
#include "tests/unit/prepared.h"

#define ACCESSES (256 * 1024) /* a sample in memory */

static uint64_t *words;
static const uint32_t *offsets;

static void ready(const char *text)
{
	ready_of("random", PROFILE_DEFAULT, text);
	words = argument(0);
	offsets = argument(1);
}

/* No two of them alike: what is read from a wrong place is a wrong sum. */
TEST(words_are_multiples_of_an_odd_number)
{
	ready("read bytes=24576 width_bits=128");
	for (unsigned i = 0; i < 8; i++) {
		expect_ready(job.row);
		assert_true(words[0] % 2 == 1);
		assert_true(words[0] > 1);
		for (uint64_t k = 0; k < job.args[2] * 2; k++)
			if (words[k] != (k + 1) * words[0])
				fail_msg("word %lu: expected %#lx, came %#lx", k,
					(k + 1) * words[0], words[k]);
	}
}

TEST(each_element_once_in_no_order)
{
	static bool seen[24576 / 4];
	unsigned in_place = 0;

	ready("read bytes=24576 width_bits=128");
	for (uint64_t i = 0; i < job.args[2]; i++) {
		uint32_t at = offsets[i] / 16;

		assert_int_equal(0, offsets[i] % 16);
		assert_in_range(at, 0, job.args[2] - 1);
		assert_false(seen[at]);
		seen[at] = true;
		in_place += at == i;
	}
	assert_in_range(in_place, 0, 10);
}

/* In memory every sample has other elements, from all of it, and may have one twice. */
TEST(fresh_elements_for_each_sample)
{
	static uint32_t before[ACCESSES];
	uint32_t most = 0;
	unsigned same = 0;

	ready("write bytes=4194304 width_bits=64");
	assert_int_equal(ACCESSES, job.args[2]);
	job.refresh(&planner, &job);
	memcpy(before, offsets, sizeof before);
	job.refresh(&planner, &job);
	for (unsigned i = 0; i < ACCESSES; i++) {
		assert_int_equal(0, offsets[i] % 8);
		most = offsets[i] > most ? offsets[i] : most;
		same += offsets[i] == before[i];
	}
	assert_in_range(most, 4 * MIB - 1024, 4 * MIB - 8);
	assert_in_range(same, 0, 20);
	assert_true(before[0] != offsets[0]);
}

/* All elements of what is not memory; in memory all, or 256 Ki of more. */
TEST(as_many_accesses_as_elements)
{
	static const struct {
		uint64_t memory;
		const char *row;
		unsigned n;
	} rows[] = { { 6 * MIB, "read bytes=4194304 width_bits=32", 524288 },
		{ 6 * MIB, "read bytes=6291456 width_bits=32", ACCESSES },
		{ 3 * MIB / 2, "read bytes=1572864 width_bits=64", 196608 } };

	for (unsigned i = 0; i < 3; i++) {
		memory_bytes = rows[i].memory;
		arena_bytes = given_bytes = FAKE_ARENA;
		plan_of(probe_named("random"), PROFILE_DEFAULT);
		expect_ready(row_planned(rows[i].row));
		assert_int_equal(rows[i].n, job.args[2]);
		expect_sample(job.row);
	}
}

/* The check notices a sample that did not write one byte of an element. */
TEST(every_byte_must_be_written)
{
	ready("write bytes=24576 width_bits=64");
	expect_sample(job.row);
	unsigned char *bytes = (unsigned char *)words;

	for (uint64_t i = 0; i < job.args[2] * 8; i++) {
		if (i % 8 && i % 8 != 7 && i > 64)
			continue;
		expect_checked(bytes + i);
	}
	assert_true(job.check(&planner, &job));
}

TEST(reads_need_no_check)
{
	ready("read bytes=24576 width_bits=64");
	assert_null(job.check);
}

/* Offsets have 32 bits: a larger memory is used up to 4 GiB, and 1 MiB more for the index. */
TEST(no_more_than_four_gib_are_used)
{
	memory_bytes = 6 * GIB;
	arena_bytes = 8 * GIB;
	plan_of(probe_named("random"), PROFILE_SMOKE);
	given_bytes = FAKE_ARENA;
	job = (struct job){ .row = row_planned("read bytes=6442450944 width_bits=64") };
	job.arena.bytes = 4 * GIB + MIB - 1;
	planner.work.used = 0;
	assert_int_equal(-1, job.row->prepare(&planner, job.row, &job));
	assert_string_equal(job.skip, "needs 6145 MiB, the arena has 4096");
}

/* Buffers above 64 MiB need only five samples; for others the engine chooses the number (0). */
TEST(few_samples_of_large_buffers)
{
	static const struct {
		uint64_t bytes;
		unsigned samples;
	} sizes[] = { { 64 * MIB, 0 }, { 64 * MIB + 64 * KIB, 5 } };
	unsigned char *base = aligned_alloc(PAGE_2M, 66 * MIB);

	for (unsigned i = 0; i < 2; i++) {
		memory_bytes = sizes[i].bytes;
		plan_of(probe_named("random"), PROFILE_SMOKE);
		for (unsigned k = 0; k < plan.n; k++)
			if (row_get(&plan.rows[k], "bytes", 0) == (double)memory_bytes)
				job = (struct job){ .row = &plan.rows[k] };
		job.arena = (struct arena){ .base = base, .bytes = 66 * MIB };
		assert_int_equal(0, job.row->prepare(&planner, job.row, &job));
		assert_int_equal(sizes[i].samples, job.min_samples);
	}
	free(base);
}

/* Here 1 and 4 MiB are the sizes of levels: the sweep has all other powers of two. */
TEST(the_sweep_leaves_out_what_levels_have)
{
	unsigned seen[32] = { 0 }, at_levels = 0;

	plan_small("random", PROFILE_DEFAULT);
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		uint64_t bytes = (uint64_t)row_get(row, "bytes", 0);

		if (strcmp(row->variant, "read") || row_get(row, "width_bits", 0) != 64)
			continue;
		seen[__builtin_ctzll(bytes)]++;
		at_levels += row->level != NULL;
	}
	assert_int_equal(3, at_levels);
	for (unsigned bit = 10; bit <= 22; bit++)
		assert_int_equal(bit == 13 ? 2 : 1, seen[bit]); /* 24 KiB are 3 * 8 */
}
