/* SPDX-License-Identifier: MIT */
/* The generator of jumps, calls and returns: its bytes, and its code run for real. */
#include "probes/branch/branch.c"
#include "lib/permutation.h"
#include "probes/loops/loops.h"
#include "tests/unit/fake_code.h"
#include "tests/unit/test.h"

TEST(test_encodings)
{
	static const unsigned char wanted[] = { 0xc3, 0xe9, 0x80, 0, 0, 0, 0xe8, 0xf5, 0xff, 0xff,
		0xff, 0xe9, 0xf0, 0xff, 0xff, 0xff, 0xcc, 0xcc };
	unsigned char bytes[sizeof wanted];
	struct code_block c = code_begin(bytes, sizeof bytes);

	code_put(&c, INSN_RETURN, 1);
	code_near(&c, INSN_JUMP, 6 + 128);
	code_near(&c, INSN_CALL, 0);
	code_near(&c, INSN_JUMP, 0);
	code_pad(&c, sizeof bytes);
	assert_memory_equal(bytes, wanted, sizeof wanted);
}

TEST(test_code_beyond_its_block)
{
	unsigned char bytes[8];
	struct code_block c = code_begin(bytes, 7);

	code_near(&c, INSN_CALL, 0);
	code_put(&c, INSN_TRAP, 1);
	expect_broken("bytes <= c->capacity - c->at", code_put(&c, 0, 2));
	code_put(&c, INSN_TRAP, 1);
	expect_broken("bytes <= c->capacity - c->at", code_put(&c, INSN_TRAP, 1));
}

#define MOST (131072 * 64UL) /* bytes */

static uint64_t run(size_t entry, uint64_t laps)
{
	return loop_timed_call((uintptr_t)runnable_memory(MOST) + entry, laps, 0, 0, 0, 0).value;
}

/* Follows the bytes by hand to the return: the slots that jumps lead to are those of `order`. */
static void follow(const unsigned char *base, const uint32_t *order, uint64_t jumps,
	uint64_t spacing)
{
	size_t at = order[0] * spacing;

	for (uint64_t k = 0; k < jumps; k++) {
		int32_t displacement;

		assert_int_equal(at, order[k] * spacing);
		assert_int_equal(base[at], 0xe9);
		memcpy(&displacement, base + at + 1, 4);
		at += 5 + (size_t)displacement;
	}
	assert_int_equal(at, CODE_RETURN);
	assert_int_equal(base[at], 0xc3);
}

TEST(test_targets)
{
	static const uint64_t counts[] = { 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 127,
		255, 1000, 1023, 4097, 10000, 131072 };
	static uint32_t order[131072];
	struct random random;

	random_seed(&random, 1);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (uint64_t spacing = 16; spacing <= 64; spacing *= 2) {
			struct code_block c =
				code_begin(runnable_memory(MOST), counts[i] * spacing);

			permutation_list(order, counts[i], &random);
			code_targets(&c, order, counts[i], spacing);
			follow(c.base, order, counts[i], spacing);
			assert_int_equal(run(order[0] * spacing, 3), 3);
			assert_int_equal(run(CODE_RETURN, 4), 4);
		}
}

TEST(test_targets_that_do_not_fit)
{
	static const uint32_t order[] = { 1, 0, 2 };
	unsigned char bytes[48];
	struct code_block c = code_begin(bytes, 47);

	expect_broken("bytes <= c->capacity - c->at", code_targets(&c, order, 3, 16));
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
		struct code_block c = code_begin(runnable_memory(MOST), code_calls_bytes(depth));

		code_calls(&c, depth);
		assert_int_equal(follow_calls(c.base, CODE_ENTRY), depth);
		assert_int_equal(run(CODE_ENTRY, 5), 5);
	}
}
