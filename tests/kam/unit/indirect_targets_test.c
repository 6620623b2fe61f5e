/* SPDX-License-Identifier: MIT */
/* Indirect jumps by the past, and what becomes of more calls than the return stack holds. */
#include "tests/kam/cpu/branch_predictor.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/unit/test.h"

#define JUMP  0x10010
#define SLOT  0x20000
#define CALLS 0x30000

static struct cpu cpu;
static struct branch b;

static void begin(void)
{
	branch_init(&b, &cpu);
}

BEFORE_EACH(defaults)
{
	cpu_init(&cpu);
	cpu.indirect.entries = 100;
	cpu.indirect.history = 5;
	cpu.returns = 10;
}

static bool is_wrong(enum insn_kind kind, uint64_t address, uint64_t next)
{
	const struct insn i = { .kind = kind, .address = address, .bytes = 5 };

	return branch_predict(&b, &i, next) == PREDICTED_WRONG;
}

/* Wrong ones of the last of so many laps through n targets. */
static unsigned lap(unsigned n, unsigned laps)
{
	unsigned wrong = 0;

	begin();
	for (unsigned k = 0; k < laps; k++) {
		wrong = 0;
		for (unsigned i = 0; i < n; i++)
			wrong += is_wrong(INSN_JUMP_INDIRECT, JUMP, SLOT + 16 * i);
	}
	branch_free(&b);
	return wrong;
}

TEST(so_many_targets_by_the_past)
{
	assert_int_equal(0, lap(100, 3));
	assert_int_equal(101, lap(101, 3));
	cpu.indirect.entries = 0;
	assert_int_equal(0, lap(1, 3));
	assert_int_equal(2, lap(2, 3));
}

/* Six targets are alike before the seventh: a history of five does not tell them apart. */
TEST(a_past_that_is_too_short)
{
	for (cpu.indirect.history = 5; cpu.indirect.history <= 6; cpu.indirect.history++) {
		unsigned wrong = 0;

		begin();
		for (unsigned k = 0; k < 70; k++) {
			bool last = k % 7 == 6;

			wrong += is_wrong(INSN_JUMP_INDIRECT, JUMP, last ? SLOT : SLOT + 16) &&
				k >= 21;
		}
		branch_free(&b);
		assert_int_equal(cpu.indirect.history == 5 ? 14 : 0, wrong);
	}
}

/* Bit i: whether the return of call i of a descent was predicted, in the last of so many. */
static uint64_t descents(unsigned depth, unsigned laps)
{
	uint64_t right = 0;

	begin();
	for (unsigned k = 0; k < laps; k++) {
		right = 0;
		for (unsigned i = 0; i < depth; i++)
			is_wrong(INSN_CALL, CALLS + 64 * i, CALLS + 64 * (i + 1));
		for (unsigned i = depth; i--;)
			if (!is_wrong(INSN_RETURN, CALLS + 64 * (i + 1) + 16, CALLS + 64 * i + 5))
				right |= 1ull << i;
	}
	branch_free(&b);
	return right;
}

TEST(returns_beyond_the_stack)
{
	cpu.indirect.beyond = BEYOND_CIRCULAR;
	assert_int_equal(0x3ff, descents(10, 3));
	assert_int_equal(0x3ff << 2, descents(12, 3));
	cpu.indirect.beyond = BEYOND_WRONG;
	assert_int_equal(0x3ff, descents(10, 3));
	assert_int_equal(0, descents(12, 3));
	cpu.indirect.beyond = BEYOND_INDIRECT;
	assert_int_equal(0x3ff << 2, descents(12, 1));
	assert_int_equal(0xfff, descents(12, 3));
}
