/* SPDX-License-Identifier: MIT */
/* Page tables in a pool that is just large enough, or just too small, and maps that end oddly. */
#include "tests/unit/page_walk.h"
#include "tests/unit/test.h"

/* The last pages of the pool, with nothing behind them. */
static void open_last(size_t pages, bool gigabytes)
{
	unsigned char *end = (unsigned char *)pool + POOL;

	memset(end - pages * PAGE_4K, 0xa5, pages * PAGE_4K); /* as found: not zero */
	page_tables_open(&tables, end - pages * PAGE_4K, pages * PAGE_4K,
		(struct paging_features){ 4, gigabytes, true });
}

BEFORE_ALL(take_pool);
AFTER_ALL(drop_pool);

/* A page of the smallest size needs four tables, and splitting a page one more for each size. */
TEST(as_many_tables_as_needed)
{
	struct remappable r = { .base = GIB, .bytes = GIB };

	for (size_t pages = 3; pages <= 4; pages++) {
		open_last(pages, true);
		page_map(&tables, 0, PAGE_4K, RW, PAGE_4K);
		assert_int_equal(pages < 4, tables.exhausted);
	}
	for (size_t pages = 3; pages <= 4; pages++) {
		open_last(pages, true);
		page_map(&tables, 0, GIB, RW, PAGE_1G);
		assert_false(tables.exhausted);
		page_map(&tables, GIB - PAGE_4K, PAGE_4K, RX, PAGE_4K);
		assert_int_equal(pages < 4, tables.exhausted);
	}
	check(0, GIB - PAGE_2M, RW, PAGE_2M);
	check(GIB - PAGE_2M, PAGE_2M - PAGE_4K, RW, PAGE_4K);
	check(GIB - PAGE_4K, PAGE_4K, RX, PAGE_4K);
	/* root, directory pointers, the directory found and its copy, 512 tables of small pages */
	for (size_t pages = 515; pages <= 516; pages++) {
		r.bytes = GIB;
		open_last(pages, true);
		remappable_open(&tables, &r, true);
		assert_int_equal(pages < 516 ? 0 : GIB, r.bytes);
	}
	check(0, GIB, ACCESS_NONE, 0);
	check(GIB, GIB, RW, PAGE_2M);
	check(2 * GIB, GIB, ACCESS_NONE, 0);
	open_last(4, true); /* without small pages */
	remappable_open(&tables, &r, false);
	assert_int_equal(GIB, r.bytes);
	remap(&tables, &r, PAGE_4K);
	check(GIB, GIB, RW, PAGE_2M);
}

/* A byte more than a page takes the next one, too. */
TEST(a_map_rounds_outwards)
{
	for (uint64_t bytes = PAGE_4K - 1; bytes <= PAGE_4K + 1; bytes++) {
		open_tables(4, true);
		page_map(&tables, 16 * MIB, bytes, RW, PAGE_1G);
		check(16 * MIB, PAGE_4K, RW, PAGE_4K);
		check(16 * MIB + PAGE_4K, PAGE_4K, bytes > PAGE_4K ? RW : ACCESS_NONE, 0);
		check(16 * MIB + 2 * PAGE_4K, PAGE_4K, ACCESS_NONE, 0);
	}
	page_map(&tables, 32 * MIB, 1, RW, PAGE_1G);
	check(32 * MIB, PAGE_4K, RW, PAGE_4K);
}
