/* SPDX-License-Identifier: MIT */
/* Rows of `bandwidth`: what is filled before a sample, what one writes, and what its check sees. */
#include "tests/unit/prepared.h"

static void ready(const char *text)
{
	ready_of("bandwidth", PROFILE_DEFAULT, text);
}

/* No two words alike, none that of memory before, and what lies behind them is as it was. */
static void expect_filled(const unsigned char *at, uint64_t bytes)
{
	const uint64_t *words = (const uint64_t *)at;

	if (words[0] % 2 == 0 || words[0] == 1)
		fail_msg("%s: the first word is %#lx", row_text(job.row), words[0]);
	for (uint64_t i = 0; i < bytes / 8; i++)
		if (words[i] != words[0] * (2 * i + 1))
			fail_msg("%s: word %lu of %lu: expected %#lx, came %#lx", row_text(job.row),
				i, bytes / 8, words[0] * (2 * i + 1), words[i]);
	for (unsigned i = 0; i < 8; i++)
		if (at[bytes + i] != UNTOUCHED)
			fail_msg("%s: byte %lu was written, of %lu", row_text(job.row), bytes + i,
				bytes);
}

TEST(what_is_read_is_filled)
{
	static const struct {
		const char *row;
		unsigned argument;
		uint64_t bytes;
	} filled[] = { { "read bytes=24576 width_bits=64", 0, 24576 },
		{ "one-byte-per-line bytes=7340032 stride_bytes=64 run=1", 0, 7340032 },
		{ "copy bytes=24576 width_bits=128", 1, 12288 },
		{ "rep-movsb bytes=24576", 1, 12288 },
		{ "mix-3-1 bytes=4194304 width_bits=128", 1, 3 * MIB },
		{ "mix-2-1 bytes=4194304 width_bits=128", 1, 2 * 1398080 },
		{ "mix-1-1 bytes=4194304 width_bits=128", 1, 2 * MIB } };

	for (unsigned i = 0; i < sizeof filled / sizeof *filled; i++) {
		ready(filled[i].row);
		expect_filled(argument(filled[i].argument), filled[i].bytes);
	}
}

TEST(what_is_only_written_is_not_filled)
{
	static const char *const rows[] = { "write bytes=24576 width_bits=64",
		"nt-write bytes=4194304 width_bits=128", "rep-stosb bytes=24576" };

	for (unsigned i = 0; i < 3; i++) {
		ready(rows[i]);
		for (unsigned k = 0; k < 24576; k++)
			if (((unsigned char *)argument(0))[k] != UNTOUCHED)
				fail_msg("%s: byte %u is filled", rows[i], k);
	}
}

/* The first and the last byte that each of them writes, and no more. */
TEST(every_byte_must_be_written)
{
	static const struct {
		const char *row;
		uint64_t bytes; /* 0: it only reads */
	} writes[] = { { "read bytes=24576 width_bits=64", 0 },
		{ "one-byte-per-line bytes=7340032 stride_bytes=64 run=1", 0 },
		{ "write bytes=24576 width_bits=32", 24576 },
		{ "nt-write bytes=4194304 width_bits=128", 4194304 },
		{ "nt-write-zeros bytes=4194304 width_bits=128", 4194304 },
		{ "copy bytes=24576 width_bits=128", 12288 }, { "rep-movsb bytes=24576", 12288 },
		{ "rep-stosb bytes=24576", 24576 }, { "mix-3-1 bytes=4194304 width_bits=128", MIB },
		{ "mix-2-1 bytes=4194304 width_bits=128", 1398080 },
		{ "mix-1-1 bytes=4194304 width_bits=128", 2 * MIB } };

	for (unsigned i = 0; i < sizeof writes / sizeof *writes; i++) {
		ready(writes[i].row);
		expect_sample(job.row);
		if (!writes[i].bytes) {
			assert_null(job.check);
			continue;
		}
		unsigned char *at = argument(0);

		expect_checked(at);
		expect_checked(at + writes[i].bytes - 1);
		if (at + writes[i].bytes == argument(1))
			continue;
		at[writes[i].bytes] ^= 1;
		assert_true(job.check(&planner, &job));
	}
}

/* The proof of each form covers its loop's value and the first and last byte that it writes. */
TEST(forms_are_proved)
{
	static const char *const ops[] = { "read", "write", "nt-write", "copy", "nt-copy" };
	static const char *const shapes[] = { "in_a_turn=8 streams=1 ahead_bytes=0",
		"in_a_turn=8 streams=2 ahead_bytes=0", "in_a_turn=8 streams=4 ahead_bytes=0" };
	char row[120];

	for (unsigned op = 0; op < 5; op++)
		for (unsigned i = 0; i < 3; i++) {
			uint64_t bytes = op < 3 ? 4 * MIB : 2 * MIB; /* that it writes */

			snprintf(row, sizeof row, "%s-form bytes=4194304 width_bits=128 %s",
				ops[op], shapes[i]);
			ready(row);
			expect_sample(job.row);
			if (!job.check)
				continue;
			expect_checked(job.arena.base);
			expect_checked(job.arena.base + bytes - 1);
		}
}

/* The two buffers of a copy or a mix begin at the same offset within a page. */
TEST(both_buffers_begin_at_the_same_place_of_a_page)
{
	static const struct {
		const char *row;
		uint64_t apart;
	} two[] = { { "copy bytes=24576 width_bits=128", 12288 },
		{ "copy bytes=1024 width_bits=128", 4096 },
		{ "copy bytes=4194304 width_bits=128", 2 * MIB },
		{ "mix-3-1 bytes=4194304 width_bits=128", MIB },
		{ "mix-2-1 bytes=4194304 width_bits=128", 1400832 } };

	for (unsigned i = 0; i < sizeof two / sizeof *two; i++) {
		ready(two[i].row);
		assert_ptr_equal(argument(0), job.arena.base);
		if (job.args[1] != job.args[0] + two[i].apart)
			fail_msg("%s: expected %lu bytes between its buffers, came %ld", two[i].row,
				two[i].apart, (long)(job.args[1] - job.args[0]));
	}
}

/* The size is a whole number of line pairs: 7/8 of the arena, 2 GiB, or the setting `largest`. */
TEST(a_byte_of_each_line_of_what_fits)
{
	static const struct {
		size_t arena;
		uint64_t largest;
		const char *row;
	} fits[] = { { 1000000, 0, "one-byte-per-line bytes=874880 stride_bytes=64 run=1" },
		{ GIB, 1000000, "one-byte-per-line bytes=999936 stride_bytes=64 run=1" },
		{ GIB, GIB, "one-byte-per-line bytes=939524096 stride_bytes=64 run=1" },
		{ 8 * GIB, 0, "one-byte-per-line bytes=2147483648 stride_bytes=64 run=1" } };

	memory_bytes = 64 * MIB;
	for (unsigned i = 0; i < sizeof fits / sizeof *fits; i++) {
		arena_bytes = fits[i].arena;
		largest = fits[i].largest;
		plan_of(probe_named("bandwidth"), PROFILE_SMOKE);
		row_planned(fits[i].row);
	}
	largest = 0;
}

/* In the full profile, Lemire's best is the best of twenty whole passes, not of parts of one. */
TEST(a_byte_of_each_line_is_read_in_passes)
{
	for (unsigned whole = 0; whole < 2; whole++) {
		plan_small("bandwidth", whole ? PROFILE_FULL : PROFILE_DEFAULT);
		expect_ready(row_planned("one-byte-per-line bytes=7340032 stride_bytes=64 run=1"));
		assert_int_equal(whole ? 20 : 0, job.min_samples);
		assert_int_equal(whole ? 20 : 0, job.max_samples);
		assert_true(whole == !job.resize);
		expect_sample(job.row);
	}
}

static unsigned results_planned(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < plan.n; i++)
		n += !strcmp(plan.rows[i].variant, "one-byte-per-line");
	return n;
}

/* He prints ten results: a run of a source has a row for each, another run one. */
TEST(ten_results_of_a_source)
{
	plan_small("bandwidth", PROFILE_FULL);
	assert_int_equal(1, results_planned());
	wanted_source = SOURCE_L;
	plan_small("bandwidth", PROFILE_DEFAULT);
	wanted_source = SOURCE_NONE;
	row_planned("one-byte-per-line bytes=7340032 stride_bytes=64 run=10");
	assert_int_equal(10, results_planned());
}

/* Each part of a long pass goes on where the last one ended; after the end it starts over. */
TEST(samples_go_on_along_the_buffer)
{
	static const char *const rows[] = { "read bytes=4194304 width_bits=64",
		"copy bytes=4194304 width_bits=128", "mix-2-1 bytes=4194304 width_bits=128",
		"one-byte-per-line bytes=7340032 stride_bytes=64 run=1", "rep-stosb bytes=4194304",
		"words-read bytes=4194304 width_bits=32" };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		ready(rows[i]);
		double whole = job.ops;
		uint64_t start = job.args[0], step, n = 1;

		expect_sample(job.row);
		job.resize(&planner, &job, whole / 5);
		double part = job.ops;
		expect_sample(job.row);
		assert_true(job.args[0] == start);
		expect_sample(job.row);
		step = job.args[0] - start;
		assert_true(step > 0 && step % (64 * KIB) == 0);
		for (; job.args[0] != start; n++) {
			assert_true(job.args[0] == start + n * step && job.ops == part);
			expect_sample(job.row);
		}
		assert_true((double)n * part <= whole && (double)(n + 1) * part > whole);
		job.resize(&planner, &job, whole);
		expect_sample(job.row);
		assert_true(job.ops == whole);
	}
}

static bool has_avx512;

/* All that leaf 1 can say; AVX2 and, if so, F and BW of AVX-512. */
static struct cpuid vectors(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid c = plain_cpuid(e, leaf, subleaf);

	if (leaf == 0)
		c.eax = 7;
	else if (leaf == 1)
		c.ecx = UINT32_MAX;
	else if (leaf == 7)
		c.ebx = 1U << 5 | (has_avx512 ? 1U << 16 | 1U << 30 : 0);
	return c;
}

/* Sweeps, mixes and the largest pages' rows are of the widest accesses that the machine has. */
TEST(the_widest_accesses_are_swept)
{
	static const char *const rows[2][3] = { { "read bytes=1024 width_bits=256",
							"rep-stosb bytes=1024",
							"mix-3-1 bytes=4194304 width_bits=256" },
		{ "read bytes=1024 width_bits=512", "rep-stosb bytes=1024",
			"mix-3-1 bytes=4194304 width_bits=512" } };
	static const enum answer answers[] = { ANSWER_READ_CURVE, ANSWER_STRING_CURVES,
		ANSWER_MIXES };

	said_by_cpuid = vectors;
	for (unsigned avx512 = 0; avx512 < 2; avx512++) {
		has_avx512 = avx512;
		plan_small("bandwidth", PROFILE_DEFAULT);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(answers[i], row_planned(rows[avx512][i])->answer);
	}
	said_by_cpuid = plain_cpuid;
}
