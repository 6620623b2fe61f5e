/* SPDX-License-Identifier: MIT */
/* Rows of `random`: which elements they access, what these hold, and whether all were written. */
#include "tests/unit/prepared.h"

#define ACCESSES (256 * 1024) /* a sample in memory */

static uint64_t *words;
static const uint32_t *numbers;

static void ready(const char *text)
{
	ready_of("random", PROFILE_DEFAULT, text);
	words = argument(0);
	numbers = argument(1);
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
		uint32_t at = numbers[i];

		assert_in_range(at, 0, job.args[2] - 1);
		assert_false(seen[at]);
		seen[at] = true;
		in_place += at == i;
	}
	assert_in_range(in_place, 0, 10);
}

/* Samples go on along the index, which has each word once; at its end they begin anew. */
TEST(each_word_once_in_a_lap)
{
	static bool seen[2 * ACCESSES];
	const uint32_t *first;

	ready("write bytes=4194304 width_bits=64");
	assert_int_equal(ACCESSES, job.args[2]);
	first = argument(1);
	for (unsigned sample = 0; sample < 3; sample++) {
		job.refresh(&planner, &job);
		numbers = argument(1);
		assert_ptr_equal(first + sample % 2 * ACCESSES, numbers);
		for (unsigned i = 0; i < ACCESSES && sample < 2; i++) {
			assert_in_range(numbers[i], 0, 2 * ACCESSES - 1);
			assert_false(seen[numbers[i]]);
			seen[numbers[i]] = true;
		}
	}
}

/* The planned row of this text at a level; NULL: of the sweep. */
static const struct row *row_at(const char *text, const char *level)
{
	for (unsigned i = 0; i < plan.n; i++)
		if (!strcmp(row_text(&plan.rows[i]), text) &&
			!strcmp(level ? level : "", plan.rows[i].level ? plan.rows[i].level : ""))
			return &plan.rows[i];
	fail_msg("no row '%s' is planned at %s", text, level);
	return NULL;
}

/*
 * As many elements as a buffer of the row's bytes has, as in the source; where it must lie in one
 * cache with its index, as many as both allow. Of more than 256 Ki a part at a time.
 */
TEST(as_many_accesses_as_elements)
{
	static const struct {
		const char *row, *level;
		uint64_t n, passes;
	} rows[] = { { "read bytes=1024 width_bits=32", NULL, 256, 256 },
		{ "read bytes=1048576 width_bits=64", NULL, 131072, 1 },
		{ "read bytes=1048576 width_bits=64", "l2", 87360, 1 },
		{ "read bytes=2097152 width_bits=64", NULL, ACCESSES, 1 },
		{ "read bytes=4194304 width_bits=32", "memory", ACCESSES, 1 } };

	for (unsigned i = 0; i < 5; i++) {
		plan_small("random", PROFILE_DEFAULT);
		expect_ready(row_at(rows[i].row, rows[i].level));
		assert_int_equal(rows[i].n, job.args[2]);
		assert_int_equal(rows[i].passes, job.args[3]);
		expect_sample(job.row);
		expect_sample(job.row);
	}
}

/* A sample is a half of the lap, or a half of that; its sum is right at any place. */
TEST(samples_are_halves_of_halves)
{
	static const struct {
		double wanted;
		uint64_t n;
	} sizes[] = { { 300000, ACCESSES }, { 200000, ACCESSES / 2 }, { 60000, ACCESSES / 8 },
		{ 1, 4096 } };

	for (unsigned i = 0; i < 4; i++) {
		ready("read bytes=4194304 width_bits=32");
		job.resize(&planner, &job, sizes[i].wanted);
		assert_int_equal(sizes[i].n, job.args[2]);
		assert_true(job.ops == (double)sizes[i].n);
		for (unsigned sample = 0; sample < 5; sample++)
			expect_sample(job.row);
	}
}

/* A lap comes first where it leaves something in the caches. */
TEST(caches_are_filled_first)
{
	for (unsigned small = 0; small < 2; small++) {
		plan_small("random", PROFILE_DEFAULT);
		planner.caches = (struct caches){ .count = 1, .memory_ns = 100 };
		planner.caches.bytes[0] = small ? MIB - 64 : MIB;
		expect_ready(row_planned("read bytes=4194304 width_bits=32"));
		assert_int_equal(small ? 2 : 4, job.warm_calls);
		assert_int_equal(small, job.flushed);
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

/* Numbers have 31 bits: a larger memory is used up to 4 GiB, and 4 MiB more for the index. */
TEST(the_index_lies_beside_the_buffer)
{
	memory_bytes = 6 * GIB;
	arena_bytes = 8 * GIB;
	plan_of(probe_named("random"), PROFILE_SMOKE);
	given_bytes = FAKE_ARENA;
	job = (struct job){ .row = row_planned("read bytes=6442450944 width_bits=64") };
	job.arena.bytes = 6 * GIB + 4 * MIB - 1;
	planner.work.used = 0;
	assert_int_equal(-1, job.row->prepare(&planner, job.row, &job));
	assert_string_equal(job.skip, "needs 6149 MiB, the arena has 6147");
}

/* Powers of two, each once in every page size that the source may have had, beside the levels. */
TEST(the_sweep_has_all_powers_of_two)
{
	unsigned seen[2][32] = { 0 };

	plan_small("random", PROFILE_DEFAULT);
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		uint64_t bytes = (uint64_t)row_get(row, "bytes", 0);

		if (!strcmp(row->variant, "read") && row_get(row, "width_bits", 0) == 64 &&
			!row->level)
			seen[row->page_bytes == PAGE_4K][__builtin_ctzll(bytes)]++;
	}
	for (unsigned small = 0; small < 2; small++)
		for (unsigned bit = 0; bit < 32; bit++)
			assert_int_equal(bit >= 10 && bit <= 22, seen[small][bit]);
}
