/* SPDX-License-Identifier: MIT */
/* Which rows are planned in pages of 1 GiB, and where sweeps end. */
#include "tests/unit/planned.h"
#include "tests/unit/row_text.h"
#include "tests/unit/test.h"

/* Memory once more in pages of 1 GiB, where there are such and no other pages were asked for. */
static const struct {
	const char *probe;
	const char *rows[12]; /* the first ones, then NULL */
	unsigned n;           /* in all */
} in_large_pages[] = {
	{ "random",
		{ "read bytes=67108864 width_bits=64 memory ns/op 1048576K rank 2",
			"write bytes=67108864 width_bits=64 memory ns/op 1048576K rank 2" },
		2 },
	{ "bandwidth",
		{ "read bytes=67108864 width_bits=128 memory GB/s 1048576K rank 6",
			"write bytes=67108864 width_bits=128 memory GB/s 1048576K rank 6",
			"copy bytes=67108864 width_bits=128 memory GB/s 1048576K rank 6",
			"nt-write bytes=67108864 width_bits=128 memory GB/s 1048576K rank 6" },
		4 },
	{ "mlp",
		{ "chains bytes=67108864 lanes=1 memory ns/line 1048576K rank 6 clflush",
			"chains bytes=67108864 lanes=2 memory ns/line 1048576K rank 7 clflush",
			"chains bytes=67108864 lanes=4 memory ns/line 1048576K rank 7 clflush",
			"chains bytes=67108864 lanes=8 memory ns/line 1048576K rank 7 clflush",
			"chains bytes=67108864 lanes=12 memory ns/line 1048576K rank 7 clflush" },
		16 },
};

static void expect_in_large_pages(unsigned i)
{
	unsigned n = 0;

	for (unsigned k = 0; k < plan.n; k++) {
		if (plan.rows[k].page_bytes != PAGE_1G)
			continue;
		const char *expected = n < 12 ? in_large_pages[i].rows[n] : NULL;

		if (expected && strcmp(expected, text_of(&plan.rows[k])))
			fail_msg("%s: expected row '%s', came '%s'", in_large_pages[i].probe,
				expected, text_of(&plan.rows[k]));
		n++;
	}
	if (n != in_large_pages[i].n)
		fail_msg("%s: expected %u rows in pages of 1 GiB, came %u", in_large_pages[i].probe,
			in_large_pages[i].n, n);
}

TEST(memory_once_more_in_large_pages)
{
	for (unsigned i = 0; i < sizeof in_large_pages / sizeof *in_large_pages; i++) {
		const struct probe *p = probe_named(in_large_pages[i].probe);
		unsigned without, all;

		plan_of(p, PROFILE_DEFAULT);
		without = plan.n;
		large_pages = PAGE_2M | PAGE_1G;
		plan_of(p, PROFILE_DEFAULT);
		expect_in_large_pages(i);
		all = plan.n;
		wanted_page = PAGE_1G;
		plan_of(p, PROFILE_DEFAULT);
		wanted_page = 0;
		large_pages = PAGE_2M;
		if (without + in_large_pages[i].n != all)
			fail_msg("%s: %u rows, but %u with pages of 1 GiB", p->name, without, all);
		if (strcmp(p->name, "mlp") && plan.n != without)
			fail_msg("%s: %u rows, but %u all in pages of 1 GiB", p->name, without,
				plan.n);
	}
}

/* Powers of two up to the sweep's limit, and that one, too. */
TEST(sweeps_end_at_their_limit)
{
	static const char *const rows[][2] = { { "random", "read bytes=1073741824 width_bits=32" },
		{ "random", "write bytes=1073741824 width_bits=64" },
		{ "bandwidth", "words-write bytes=1073741824 width_bits=64" },
		{ "bandwidth", "copy bytes=1073741824 width_bits=128" } };

	arena_bytes = 2 * GIB;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		plan_of(probe_named(rows[i][0]), PROFILE_DEFAULT);
		assert_int_equal(PAGE_2M, row_planned(rows[i][1])->page_bytes);
	}
	arena_bytes = GIB;
}
