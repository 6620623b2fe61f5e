/* SPDX-License-Identifier: MIT */
/* Tests the values found in rows of indirect jumps, and the cases where none can be found. */
#include "tests/unit/summary_rows.h"

static double known, miss, beyond, again; /* ns, 3 cycles each */
static double edge;                       /* the most that is predicted */

static void add_curve(const char *variant, const char *x, double targets, double wrong)
{
	for (double at = targets ? 16 : 1; at <= 8192; at *= 2) {
		struct row *row = add("indirect", variant, x, at,
			at <= edge ? known : known + wrong * miss, 0);

		if (targets)
			row_param(row, "targets", targets);
	}
}

/* A call costs 8 ns, and 5 beside a descent's own; beyond 16 calls more. */
static void add_returns(const char *variant, double more)
{
	static const double depths[] = { 2, 6, 8, 12, 16, 20, 96, 192 };

	for (unsigned i = 0; i < 8; i++)
		row_param(add("indirect", variant, "depth", depths[i],
				  8 + 5 / depths[i] + more * fmax(0, depths[i] - 16) / depths[i],
				  0),
			"targets", 64);
}

static void find(void)
{
	begin_of("indirect");
	add_curve("order", "targets", 0, 1);
	add_curve("period", "elements", 2, 0.5);
	add_curve("period", "elements", 64, 63. / 64);
	row_param(add("indirect", "random", "targets", 64, known + miss * 63 / 64, 0), "elements",
		0);
	add_returns("returns", again);
	add_returns("returns-random", beyond);
	run_find(&m.b, &m.found, "indirect");
	m.b.probe->hooks->meaning(&m.b);
}

BEFORE_EACH(a_core)
{
	known = 1;
	miss = 7;
	beyond = 6;
	again = 0;
	edge = 1024;
}

TEST(edges_and_costs)
{
	find();
	expect_found("indirect_targets", 1024, 0.01);
	expect_found("indirect_history", 1024, 0.01);
	expect_found("indirect_history_many", 1024, 0.01);
	expect_found("indirect_miss_cycles", 21, 0.01);
	expect_found("return_beyond_cycles", 18, 0.01);
	assert_true(fabs(value("return_again_cycles")->value) <= 0.01);
	expect_said("the last returns are predicted.");
	expect_said("18.0 cycles, 0.0 where callers repeat themselves:\n");
}

/* A curve that rises by less than half of a misprediction has met another limit. */
TEST(what_is_no_misprediction)
{
	edge = 1e9;
	find();
	expect_open("indirect_targets", "the longest sequence that is tried is predicted");
	edge = 1;
	find();
	expect_found("indirect_targets", 1, 0.01);
	expect_open("indirect_history", "no sequence is predicted");
	miss = 0.5;
	find();
	expect_open("indirect_miss_cycles", "a random target costs no more than a known one");
	expect_open("indirect_targets", "a misprediction costs nothing");
}

TEST(a_stack_that_does_not_end)
{
	beyond = 0;
	find();
	expect_open("return_beyond_cycles", "the deepest return that is tried is predicted");
	expect_open("return_again_cycles", "the deepest return that is tried is predicted");
	expect_not_said("descent");
}
