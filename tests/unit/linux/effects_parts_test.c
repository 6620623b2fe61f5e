/* SPDX-License-Identifier: MIT */
/* The steps by which a row's effect is found, by numbers that can be computed by hand. */
#include "linux/report/compare/effects.c"
#include "tests/unit/test.h"

/* A time between none and that of the clock, and half of the interval on either side. */
TEST(what_the_clock_explains)
{
	static const struct {
		double clock, slower; /* logarithms */
		bool explained;
	} rows[] = { { 0.2, 0.1, true }, { 0.2, 0.209, true }, { 0.2, 0.211, false },
		{ 0.2, -0.009, true }, { 0.2, -0.011, false }, { -0.2, -0.209, true },
		{ -0.2, -0.211, false }, { -0.2, 0.009, true }, { -0.2, 0.011, false } };

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		if (by_clock(exp(rows[i].slower), exp(rows[i].clock), 0.01) != rows[i].explained)
			fail_msg("slower by e^%g at a clock slower by e^%g: expected %s",
				rows[i].slower, rows[i].clock,
				rows[i].explained ? "the clock's work" : "a difference");
	assert_false(by_clock(NAN, 1.2, 0.01));
	assert_false(by_clock(1.1, NAN, 0.01));
}

/* Of two rooms the one in which runs differ more. */
TEST(the_usual_of_two_rooms)
{
	static const char *const rooms[][2] = { { "hosted", "bare" }, { "bare", "hosted" },
		{ "bare", "firmware" } };

	for (unsigned i = 0; i < 3; i++) {
		struct set sets[2] = { { .room = rooms[i][0] }, { .room = rooms[i][1] } };
		struct lots lots[2];
		struct comparison c = { .sets = { sets, 2 }, .lots = lots };

		usual_of(&c, 1);
		near("typical", log(i < 2 ? 1.05 : 1.03), lots[1].typical);
		near("most", log(i < 2 ? 2.2 : 1.8), lots[1].most);
	}
}

/* One run a side: the samples' scatter of both, and what a room is known for, bound the chance. */
TEST(the_scatter_of_both_bounds_chance)
{
	for (unsigned disturbed = 0; disturbed < 3; disturbed++)
		for (unsigned difference = 0; difference < 2; difference++) {
			struct run_value runs[2] = { { .spread = 0.03 }, { .spread = 0.04 } };
			struct pooled rows[2] = { { .runs = &runs[0], .samples = 10 },
				{ .runs = &runs[1], .samples = 10 } };
			struct cell cells[2] = { { .row = &rows[0] },
				{ .row = &rows[1],
					.difference = difference,
					.effect = { 1, 0.5, 4, 0.1 } } };
			struct compared row = { .cells = cells };
			struct row_pair p = { .cell = &cells[1], .row = &row };
			struct lots lots = { .most = 0.05 * DEVIATIONS_MOST };

			if (disturbed < 2)
				rows[disturbed].disturbed = 6; /* its median is one of those */
			else
				rows[0].disturbed = 5;
			rescale_single(&p, &lots);
			near("error", disturbed == 2 && !difference ? sqrt(0.005) : 0.5,
				cells[1].effect.error);
		}
}

/* The interval lies within the margin on both sides, or it is not the same. */
TEST(the_same_is_within_the_margin_on_both_sides)
{
	struct comparison c = { .margin = 0.02 };
	struct effect_group groups[] = { { .size = 0, .low = -0.019, .high = 0.019, .p = 1 },
		{ .size = 0, .low = -0.03, .high = 0.01, .p = 1 },
		{ .size = 0, .low = -0.01, .high = 0.03, .p = 1 } };

	groups_judge(&c, groups, 3);
	assert_int_equal(VERDICT_SAME, groups[0].verdict);
	assert_int_equal(VERDICT_UNKNOWN, groups[1].verdict);
	assert_int_equal(VERDICT_UNKNOWN, groups[2].verdict);
}

TEST(a_difference_is_a_part_of_the_larger_median)
{
	const struct row_data clock = { .probe = "clock" };

	for (unsigned i = 0; i < 2; i++) {
		const struct pooled a = { .row = &clock, .median = i ? -8 : 3 },
				    b = { .row = &clock, .median = i ? 3 : -8 };

		near("whole", 8, whole_of(NULL, &a, &b));
	}
	const struct pooled none = { .row = &clock };

	near("of nothing", 1, whole_of(NULL, &none, &none));
}

/* Half of the interval belongs to the row: by its middle it would be the same as before. */
TEST(a_row_is_the_same_with_its_interval)
{
	struct cell cell = { .slower = 1, .effect = { 0.01, 0.003, 1e6, 0.5 } };
	const struct row_pair p = { .side = { { .runs = 3 }, { .runs = 3 } }, .cell = &cell };
	struct comparison c = { .margin = 0.02 };

	judge_pair(&c, 1, &p, 0.001); /* to 0.0159; the margin is 0.0198 */
	assert_int_equal(VERDICT_SAME, cell.verdict);
	cell.effect.error = 0.006; /* to 0.0218 */
	judge_pair(&c, 1, &p, 0.001);
	assert_int_equal(VERDICT_UNKNOWN, cell.verdict);
}
