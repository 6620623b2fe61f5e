/* SPDX-License-Identifier: MIT */
/* The generator of jumps, calls and returns: its bytes, and its code run for real. */
#include <string.h>
#include <sys/mman.h>

#include "probes/branch/branch.h"
#include "probes/loops/loops.h"
#include "tests/unit/test.h"

TEST(test_encodings)
{
	static const unsigned char wanted[] = { 0xc3, 0xeb, 0x7f, 0xe9, 0x80, 0, 0, 0, 0xe8, 0xf3,
		0xff, 0xff, 0xff, 0xeb, 0xf1, 0xcc, 0xcc };
	unsigned char bytes[sizeof wanted];
	struct code c = code_begin(bytes, sizeof bytes);

	code_return(&c);
	code_jump(&c, 3 + 127);
	code_jump(&c, 8 + 128);
	code_call(&c, 0);
	code_jump(&c, 0);
	code_pad(&c, sizeof bytes);
	assert_false(c.full);
	assert_memory_equal(bytes, wanted, sizeof wanted);
}

/* A jump of two bytes from offset 200 to `target`, or of five. */
static void expect_jump(size_t target, bool is_short)
{
	unsigned char bytes[256] = { 0 };
	struct code c = code_begin(bytes, sizeof bytes);
	int32_t displacement;

	code_pad(&c, 200);
	code_jump(&c, target);
	memcpy(&displacement, bytes + 201, 4);
	if (is_short)
		displacement = (int8_t)bytes[201];
	assert_int_equal(is_short ? 202 : 205, c.at);
	assert_int_equal(is_short ? 0xeb : 0xe9, bytes[200]);
	assert_int_equal(target, c.at + (size_t)displacement);
}

TEST(test_the_shortest_form)
{
	expect_jump(202 - 128, true);
	expect_jump(202 - 129, false);
	expect_jump(202 + 127, true);
	expect_jump(202 + 128, false);
	expect_jump(202 + 300, false);
	expect_jump(0, false);
}

TEST(test_overflow_is_marked)
{
	unsigned char bytes[8] = { 0 };
	struct code c = code_begin(bytes, 7);

	code_call(&c, 0);
	assert_false(c.full);
	code_call(&c, 0);
	assert_true(c.full);
	assert_int_equal(bytes[7], 0);
}

struct block {
	unsigned char *base;
	size_t bytes;
};

static struct block block_new(size_t bytes)
{
	return (struct block){
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes
	};
}

static uint64_t run(const struct block *m, size_t entry, uint64_t laps)
{
	mprotect(m->base, m->bytes, PROT_READ | PROT_EXEC);
	return loop_timed_call((uint64_t)(uintptr_t)(m->base + entry), laps, 0, 0, 0, 0).value;
}

/* Jumps seen when following the bytes by hand from `at` to the return. */
static uint64_t follow(const unsigned char *base, size_t at, uint64_t spacing)
{
	uint64_t jumps = 0;

	for (; base[at] != 0xc3; jumps++) {
		assert_int_equal(base[at], 0xeb);
		size_t next = at + 2 + (size_t)(int8_t)base[at + 1];

		assert_int_equal(next - at, spacing);
		at = next;
	}
	return jumps;
}

TEST(test_targets)
{
	static const uint64_t counts[] = { 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 127,
		255, 1000, 1023, 4097, 10000, 16384 };

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (uint64_t spacing = 8; spacing <= 64; spacing *= 2) {
			struct block m = block_new(code_targets_bytes(counts[i], spacing));
			struct code c = code_begin(m.base, m.bytes);

			code_targets(&c, counts[i], spacing);
			assert_false(c.full);
			assert_int_equal(c.at, m.bytes);
			assert_int_equal(follow(m.base, CODE_ENTRY, spacing), counts[i]);
			assert_int_equal(run(&m, CODE_ENTRY, 3), 3);
			assert_int_equal(run(&m, 0, 4), 4);
			munmap(m.base, m.bytes);
		}
}

static uint64_t follow_calls(const unsigned char *base, size_t at)
{
	int32_t displacement;

	if (base[at] == 0xc3)
		return 1;
	assert_int_equal(base[at], 0xe8);
	assert_int_equal(base[at + 5], 0xc3);
	memcpy(&displacement, base + at + 1, 4);
	return 1 + follow_calls(base, at + 5 + (size_t)displacement);
}

TEST(test_calls)
{
	for (uint64_t depth = 1; depth <= 64; depth++) {
		struct block m = block_new(code_calls_bytes(depth));
		struct code c = code_begin(m.base, m.bytes);

		code_calls(&c, depth);
		assert_false(c.full);
		assert_int_equal(follow_calls(m.base, CODE_ENTRY), depth);
		assert_int_equal(run(&m, CODE_ENTRY, 5), 5);
		munmap(m.base, m.bytes);
	}
}
