/* SPDX-License-Identifier: MIT */
/* Rows of `stride`: the bytes that are copied, and the words beside addresses that are flushed. */
#include "tests/unit/prepared.h"

static void ready(const char *text)
{
	ready_of("stride", PROFILE_FULL, text);
}

/* Each touched byte differs between the arrays, so that one that was not copied is noticed. */
static void expect_copies(uint64_t stride, uint64_t count)
{
	unsigned char *to = argument(0), *from = argument(1);
	unsigned values[256] = { 0 };

	assert_ptr_equal(to, job.arena.base);
	assert_ptr_equal(from, to + 4 * MIB);
	assert_int_equal(stride, job.args[2]);
	assert_int_equal(count, job.args[3]);
	for (uint64_t i = 0; i < count; i++) {
		if ((to[i * stride] ^ from[i * stride]) != 255)
			fail_msg("byte %lu at %lu: %u and %u", i, i * stride, to[i * stride],
				from[i * stride]);
		values[from[i * stride]]++;
	}
	for (unsigned v = 0; v < 256; v++)
		assert_in_range(values[v], count / 256 / 2, count / 256 * 2);
	for (uint64_t at = 1; at < stride; at++)
		if (to[at] != UNTOUCHED || from[at] != UNTOUCHED)
			fail_msg("byte %lu, before the second one, was written", at);
}

TEST(each_byte_is_copied)
{
	static const struct {
		const char *row;
		uint64_t stride, count;
	} rows[] = { { "even stride_bytes=16 bytes=8388608", 16, 262144 },
		{ "odd stride_bytes=15 bytes=8388608", 15, 279620 },
		{ "even stride_bytes=20 bytes=8388608", 20, 209715 },
		{ "odd stride_bytes=4095 bytes=8388608", 4095, 1024 } };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint64_t at[] = { 0, rows[i].stride, (rows[i].count - 1) * rows[i].stride };

		ready(rows[i].row);
		expect_copies(rows[i].stride, rows[i].count);
		assert_false(job.check(&planner, &job));
		expect_sample(job.row);
		unsigned char *to = argument(0);

		for (unsigned k = 0; k < 3; k++)
			expect_checked(to + at[k]);
		for (uint64_t beside = 1; beside < rows[i].stride; beside++)
			to[beside] ^= 1;
		assert_true(job.check(&planner, &job));
	}
}

/* Three calls are enough where one touches 128 Ki bytes; the engine takes more of the others. */
TEST(few_samples_where_much_is_touched)
{
	ready("even stride_bytes=32 bytes=8388608"); /* 131072 */
	assert_int_equal(3, job.min_samples);
	ready("even stride_bytes=40 bytes=8388608");
	assert_int_equal(0, job.min_samples);
}

/* Half as many bytes as long as they do not fit, or are more than is allowed. */
TEST(as_much_as_fits)
{
	static const struct {
		size_t arena;
		uint64_t largest;
		const char *row;
	} fits[] = { { GIB, 0, "even stride_bytes=64 bytes=67108864" },
		{ 64 * MIB, 64 * MIB, "even stride_bytes=64 bytes=67108864" },
		{ 64 * MIB - 1, 0, "even stride_bytes=64 bytes=33554432" },
		{ GIB, 64 * MIB - 1, "even stride_bytes=64 bytes=33554432" },
		{ 10 * MIB, GIB, "even stride_bytes=64 bytes=8388608" },
		{ GIB, 3 * MIB, "even stride_bytes=64 bytes=2097152" } };

	for (unsigned i = 0; i < sizeof fits / sizeof *fits; i++) {
		arena_bytes = fits[i].arena;
		largest = fits[i].largest;
		plan_of(probe_named("stride"), PROFILE_SMOKE);
		row_planned(fits[i].row);
	}
	largest = 0;
}

/* The loops called, in order, and the addresses of the last flush. */
static struct {
	char loops[8];
	uint64_t list[256], n;
	bool chase_fails, flush_fails;
} noted;

static struct timed noted_call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = fake_call(e, loop, a);
	size_t n = strlen(noted.loops);

	if (n < sizeof noted.loops - 1)
		noted.loops[n] = loop == loop_chase ? 'c' : loop == loop_flush ? 'f' : '?';
	if (loop == loop_flush) {
		noted.n = a[1];
		assert_in_range(noted.n, 0, 256);
		memcpy(noted.list, (const void *)(uintptr_t)a[0], noted.n * sizeof *noted.list);
		t.value += noted.flush_fails;
	} else {
		t.value += noted.chase_fails;
	}
	return t;
}

static void ready_beside(const char *text)
{
	ready(text);
	memset(&noted, 0, sizeof noted);
	room.call = noted_call;
}

/* 64 blocks of 512 bytes, flushed at their start; one word of each is loaded, once, in no order. */
TEST(words_beside_what_is_flushed)
{
	for (uint64_t apart = 8; apart <= 256; apart *= 2) {
		bool seen[64] = { false };
		char text[64];
		unsigned in_order = 0;

		snprintf(text, sizeof text, "flush-beside apart_bytes=%lu", apart);
		ready_beside(text);
		job.refresh(&planner, &job);
		assert_string_equal("cf", noted.loops);
		assert_int_equal(64, noted.n);
		for (unsigned i = 0; i < 64; i++)
			assert_int_equal((uintptr_t)job.arena.base + 512 * i, noted.list[i]);
		assert_int_equal(64, 16 * job.args[1]);
		for (uint64_t i = 0, at = job.args[0]; i < 64; i++) {
			uint64_t offset = at - (uintptr_t)job.arena.base;
			uint64_t next = *(uint64_t *)(uintptr_t)at;

			assert_int_equal(apart, offset % 512);
			assert_in_range(offset / 512, 0, 63);
			assert_false(seen[offset / 512]);
			seen[offset / 512] = true;
			in_order += next == at + 512;
			at = next;
		}
		assert_in_range(in_order, 0, 8);
		expect_sample(job.row);
	}
}

/* A row whose lines were not brought in, or not flushed, has a wrong prediction: it is given up. */
TEST(what_was_not_flushed_is_not_measured)
{
	for (unsigned what = 0; what < 3; what++) {
		ready_beside("flush-beside apart_bytes=64");
		noted.chase_fails = what == 1;
		noted.flush_fails = what == 2;
		job.refresh(&planner, &job);
		bool right = job.expect == fake_call(&room, job.loop, job.args).value;

		assert_int_equal(what == 0, right);
	}
}
