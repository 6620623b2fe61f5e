/* SPDX-License-Identifier: MIT */
/* The cost of code if other loops run between its calls; the sum stands beside each number. */
#include "probes/frontend/frontend_truth.c"
#include "tests/unit/test.h"

/* Four sets of two lines of 64 bytes. */
static const struct code_sets four_sets = { .sets = 4, .ways = 2, .unit = 64 };

TEST(a_set_with_an_entry_too_many)
{
	struct code_sets s = four_sets;

	code_sets_own(&s, 64, 6 * 64, 1); /* lines 1 to 6: sets 1 and 2 have two, 0 and 3 one */
	s.other[2] = s.other[3] = 1;
	assert_int_equal(KEPT_ALWAYS, code_kept(&s, 0));
	assert_int_equal(KEPT_ALWAYS, code_kept(&s, 1));
	assert_int_equal(KEPT_AFTER_FIRST, code_kept(&s, 2));
	assert_int_equal(KEPT_ALWAYS, code_kept(&s, 3));
	code_sets_own(&s, 64, 64, 1);
	assert_int_equal(KEPT_NEVER, code_kept(&s, 1));
}

/* A loop of the image has each of its lines once. */
TEST(lines_of_another_loop)
{
	struct code_sets s = { .sets = 64, .ways = 2, .unit = 64 };
	unsigned first, lines = 0;

	code_sets_other(&s, loop_timed_call, 0);
	first = code_set(&s, (uint64_t)((uintptr_t)loop_timed_call - (uintptr_t)loops_start));
	for (unsigned i = 0; i < s.sets; i++)
		lines += s.other[i];
	assert_int_equal(1, s.other[first]);
	assert_in_range(lines, 2, 4); /* some 180 bytes */
	memset(s.other, 0, sizeof(s.other));
	code_sets_other(&s, loop_timed_call, 64);
	assert_int_equal(0, s.other[first]);
	assert_int_equal(1, s.other[(first + 1) % 64]);
}

/* 24 KiB in 64 sets of six lines; 16 bytes a cycle from there, else 7. */
static struct cpu without_op_cache(void)
{
	struct cpu c;

	cpu_init(&c);
	c.width = c.alus = c.frontend.decode = 4;
	c.frontend.l1i = 24 << 10;
	c.frontend.l1i_ways = 6;
	c.frontend.fetch = 16;
	c.frontend.fetch_l2 = 7;
	return c;
}

/* Sets from 1 to `last` with a line of a loop that runs between two calls. */
static unsigned shared_sets(unsigned last)
{
	struct code_sets s = { .sets = 64, .ways = 6, .unit = 64 };
	unsigned n = 0;

	code_sets_other(&s, loop_timed_call, 0);
	code_sets_other(&s, loop_add_chain, 0);
	for (unsigned i = 1; i <= last; i++)
		n += s.other[i] > 0;
	return n;
}

static void expect_row(const struct cpu *c, double bytes, bool quiet, double cycles)
{
	struct wanted b = code_row(c, LONG, bytes, quiet);

	if (cycles < b.low || cycles > b.high || b.high > 1.05 * b.low)
		fail_msg("%g bytes: expected little around %g, came %g to %g", bytes, cycles, b.low,
			b.high);
}

/*
 * 23168 bytes are 362 lines: sets 1 to 42 have six. In the first turn of four those that share a
 * set with another loop are gone: two groups each, of 32 / 7 cycles in place of 2.
 */
TEST(code_that_nearly_fills_l1i)
{
	struct cpu c = without_op_cache();
	double lost = shared_sets(42) * 6 * 2 * (32. / 7 - 2);

	assert_true(shared_sets(42) > 0);
	expect_row(&c, 23168, true, 0.5 + lost / (4 * 724 * 4));
	expect_row(&c, 23168, false, 0.5 + lost / (47 * 724 * 4)); /* 47 turns of a call */
	expect_row(&c, 16384, true, 0.5);
	expect_row(&c, 24576, true, 0.5 + shared_sets(64) * 6 * 2 * (32. / 7 - 2) / (4 * 768 * 4));
	expect_row(&c, 32768, true, 8. / 7);
}

/* 20 KiB are 320 lines, five of each set: with the other loop's one each set is full. */
TEST(code_that_leaves_a_line_of_each_set)
{
	struct cpu c = without_op_cache();

	expect_row(&c, 20480, true, 0.5);
}

/*
 * 232 groups in an op cache of 28 sets of eight: eight sets have nine, in nine places of the code.
 * All take a cycle from there, of them 72 two, and at each change the front end is ahead by up to
 * one.
 */
TEST(changes_between_op_cache_and_l1i)
{
	struct cpu c = without_op_cache();
	struct wanted b;

	c.frontend.ops = 1344;
	c.frontend.ways = 8;
	c.frontend.line_ops = 6;
	c.frontend.window = 32;
	c.frontend.per_cycle = 5;
	b = code_row(&c, LONG, 7424, false);
	assert_true(b.low < 299.5 / 926 && b.low > 290. / 926); /* as the model takes it */
	assert_true(b.high > 304. / 926 && b.high < 315. / 926);
}
