/* SPDX-License-Identifier: MIT */
/* When instructions are fetched and decoded; the sum stands beside each number. */
#include "tests/kam/unit/insn_builder.h"
#include "tests/unit/test.h"

#define INSNS_MOST 4096

/* Four wide; 4 a cycle from two sets of 2 lines of 3 ops, else 8 bytes, beyond L1I 2. */
static struct cpu cpu_with_front_end(void)
{
	struct cpu c = test_cpu();

	c.frontend.l1i = 2048;
	c.frontend.l1i_ways = 2;
	c.frontend.fetch = 8;
	c.frontend.fetch_l2 = 2;
	c.frontend.decode = 4;
	c.frontend.prefix = 3;
	c.frontend.ops = 12;
	c.frontend.ways = 2;
	c.frontend.line_ops = 3;
	c.frontend.window = 32;
	c.frontend.per_cycle = 4;
	return c;
}

static struct insn nop(unsigned bytes)
{
	return (struct insn){ .bytes = (uint8_t)bytes };
}

/* Cycles of so many instructions in a row, from address 0 on, the second time. */
static uint64_t again(const struct cpu *c, struct insn i, unsigned n)
{
	uint64_t start = 0, end = 0;
	struct model m;

	model_init(&m, c);
	for (unsigned turn = 0; turn < 2; turn++) {
		start = drain(&m);
		for (i.address = 0; i.address < n * i.bytes; i.address += i.bytes)
			run(&m, i, 0);
		end = m.front_end.on ? m.front_end.at / FRONT_END_UNIT : m.enter + 1;
	}
	model_free(&m);
	return end - start;
}

static void expect(uint64_t cycles, uint64_t came)
{
	if (came < cycles || came > cycles + 1)
		fail_msg("expected %lu cycles, came %lu", cycles, came);
}

TEST(an_op_cache_of_twelve_ops)
{
	struct cpu c = cpu_with_front_end();

	expect(2, again(&c, nop(8), 8));   /* two windows of four ops, two lines each: held */
	expect(16, again(&c, nop(8), 16)); /* of four none is held: 8 bytes a cycle */
	expect(2, again(&c, nop(16), 8));  /* four windows of two ops, a line each: held */
}

TEST(without_one)
{
	struct cpu c = cpu_with_front_end();

	c.frontend.ops = 0;
	expect(8, again(&c, nop(8), 8));      /* 64 bytes of 8 a cycle */
	expect(4, again(&c, nop(1), 16));     /* 16 of 4 decoded */
	expect(256, again(&c, nop(8), 256));  /* 2048 bytes, all in L1I */
	expect(2048, again(&c, nop(8), 512)); /* 4096 of 2 a cycle */
	c.frontend.l1i = 0;
	expect(2, again(&c, nop(8), 8)); /* no front end: four wide */
}

TEST(a_prefix_that_changes_the_length)
{
	struct cpu c = cpu_with_front_end();
	struct insn i = nop(8);

	i.hard = true;
	expect(2, again(&c, i, 8)); /* held */
	c.frontend.ops = 0;
	expect(32, again(&c, i, 8)); /* 8 of a cycle for 8 bytes, and three */
}

/* A jump to the next instruction in each window; decoded are four of 8 bytes, one a cycle. */
TEST(a_jump_that_ends_with_its_window)
{
	struct cpu c = cpu_with_front_end();
	struct insn jump = nop(8);

	jump.kind = INSN_BRANCH;
	c.penalty = 0;
	expect(2, again(&c, jump, 8));
	c.frontend.erratum = 1;
	expect(8, again(&c, jump, 8));
	jump.bytes = 7;                /* the fifth one, from 28 to 35, crosses */
	expect(5, again(&c, jump, 9)); /* five of 7/8 cycle, four of a quarter */
}

TEST(what_is_forgotten)
{
	struct cpu c = cpu_with_front_end();
	struct model m;
	uint64_t start;

	model_init(&m, &c);
	for (unsigned n = 0; n < 4; n++)
		run(&m, (struct insn){ .bytes = 8, .address = 8 * n }, 0);
	model_forget(&m);
	start = drain(&m);
	for (unsigned n = 0; n < 4; n++)
		run(&m, (struct insn){ .bytes = 8, .address = 8 * n }, 0);
	expect(16, m.front_end.at / FRONT_END_UNIT - start); /* 32 bytes of 2 a cycle */
	model_free(&m);
}
