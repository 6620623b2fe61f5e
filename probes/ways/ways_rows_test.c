/* SPDX-License-Identifier: MIT */
/* The walks of `ways`: which lines they visit, how often, and that each sample goes on. */
#include "tests/unit/prepared.h"

#undef BEYOND /* the probe's own is of lines */
#include "probes/ways/ways.c"

/* The walk as it is linked in memory: each line so often, and back at its begin. */
static void expect_lines(const struct set_lines *spec)
{
	const struct set_walk *w = job.priv;
	const struct spacing *s = &spacings[spec->spacing];
	unsigned visits[LINES_MOST] = { 0 }, seen[2 * LINES_MOST], n = w->steps;
	uint64_t at = address(w, 0);

	for (unsigned step = 0; step < n; step++, at = *(uint64_t *)(uintptr_t)at) {
		uint64_t from = at - (uint64_t)w->lines.base;

		seen[step] = (unsigned)(from / s->stride);
		assert_true(seen[step] < spec->ways && from % s->stride <= 8);
		visits[seen[step]]++;
	}
	assert_int_equal(address(w, 0), at);
	for (unsigned i = 0; i < spec->ways; i++) {
		bool end = s->order == BACK && (i == seen[0] || i == seen[n / 2]);

		assert_int_equal(s->order == ROUND || end ? 1 : 2, visits[i]);
	}
	for (unsigned i = 1; s->order == BACK && i < n; i++)
		assert_int_equal(seen[i], seen[n - i]);
}

TEST(each_line_of_the_set_in_its_turn)
{
	plan_small("ways", PROFILE_FULL);
	assert_true(plan.n > 90);
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		const struct set_lines *spec = row_spec(row, struct set_lines);
		uint64_t first, second;

		expect_ready(row);
		expect_lines(spec);
		for (unsigned k = 0; k < 3; k++) {
			first = job.args[0];
			expect_sample(row);
			second = job.args[0];
		}
		const struct set_walk *w = job.priv;

		if (job.refresh && LOADS % w->steps)
			assert_true(first != second);
	}
}
