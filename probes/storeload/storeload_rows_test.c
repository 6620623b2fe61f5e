/* SPDX-License-Identifier: MIT */
/* Tests the addresses of the accesses of each row of `storeload`, and the value of its loop. */
#include "tests/unit/loop_calls.h"
#include "tests/unit/prepared.h"

#define LINE 64

/* The row's name says where its 8-byte access lies: in a line, across lines, or across pages. */
TEST(accesses_lie_where_the_name_says)
{
	static const struct {
		const char *variant;
		unsigned arg; /* of the loop: the address */
		bool line, page;
	} places[] = { { "forward", 1, false, false }, { "forward-line", 1, true, false },
		{ "forward-page", 1, true, true }, { "load", 0, false, false },
		{ "load-line", 0, true, false }, { "load-page", 0, true, true },
		{ "store", 1, false, false }, { "store-line", 1, true, false },
		{ "store-page", 1, true, true } };

	plan_small("storeload", PROFILE_FULL);
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		expect_ready(row_with(places[i].variant, NULL, 0));
		uint64_t first = job.args[places[i].arg], last = first + 7;
		bool line = first / LINE != last / LINE;
		bool page = first / job.arena.page_bytes != last / job.arena.page_bytes;

		if (line != places[i].line || page != places[i].page ||
			(line && first / 128 == last / 128))
			fail_msg("%s: at %#lx", places[i].variant, first);
	}
}

/* An aliased load is 4 KiB behind the store, its control is not; both are in the arena. */
TEST(aliases)
{
	plan_small("storeload", PROFILE_DEFAULT);
	expect_ready(row_with("alias", NULL, 0));
	uint64_t base = (uintptr_t)job.arena.base;

	assert_int_equal(-4096, (int64_t)job.args[1]);
	assert_in_range(job.args[2] + job.args[1], base, base + MIB);
	expect_ready(row_with("apart", NULL, 0));
	assert_int_equal(-3584, (int64_t)job.args[1]);
}

/* A load of `load_bytes`, so far behind `store_bytes`: as the row's parameters say. */
TEST(pairs_are_as_their_parameters_say)
{
	plan_small("storeload", PROFILE_FULL);
	for (unsigned i = 0; i < plan.n; i++) {
		const struct row *row = &plan.rows[i];
		double store = row_get(row, "store_bytes", 0), load = row_get(row, "load_bytes", 0);
		double offset = row_get(row, "offset_bytes", 0);

		if (strcmp(row->variant, "sizes"))
			continue;
		expect_ready(row);
		assert_true(job.args[2] - job.args[1] == offset);
		assert_true(offset + load <= store);
		assert_int_equal(0, job.args[1] % LINE);
		assert_int_equal(0, job.empty_args[0]);
		expect_sample(row);
	}
}

/* It takes one page and what lies behind it. */
TEST(an_arena_of_less_than_two_pages_is_too_small)
{
	plan_small("storeload", PROFILE_DEFAULT);
	given_bytes = PAGE_2M;
	assert_int_equal(-1, ready_row(row_with("forward", NULL, 0)));
	assert_string_equal("needs 3 MiB, the arena has 2", job.skip);
	given_bytes = PAGE_2M + 2 * PAGE_4K;
	expect_ready(row_with("load-page", NULL, 0));
	expect_sample(row_with("load-page", NULL, 0));
	expect_within(row_with("load-page", NULL, 0));
}
