/* SPDX-License-Identifier: MIT */
/* The page tables of memory maps that need many, on a processor without 1 GiB pages. */
#include <stdlib.h>

#include "engine/room.h"
#include "kernel/memory/address_space.h"
#include "tests/unit/test.h"

#define HOLES 2000

static void expect_mapped(const struct memory_entry *e, size_t n)
{
	struct machine m = { .map = { (unsigned char *)e, n * sizeof *e, sizeof *e },
		.work = { 0x10000000, 64 * MIB } };
	struct page_tables tables;
	struct layout l;
	void *pool, *image = calloc(1, PAGE_4K);

	m.image = (struct span){ (uint64_t)image, PAGE_4K };
	assert_true(layout_divide(&m, &l));
	pool = aligned_alloc(PAGE_4K, l.tables.bytes);
	page_tables_open(&tables, pool, l.tables.bytes, (struct paging_features){ 4, false, true });
	layout_map(&m, &l, 0, &tables);
	if (tables.exhausted)
		fail_msg("%llu bytes are too little for the page tables",
			(unsigned long long)l.tables.bytes);
	free(pool);
	free(image);
}

TEST(a_terabyte)
{
	const struct memory_entry e = { 7, 0, 4 * GIB, 0, 1024 * GIB / PAGE_4K, 8 };

	expect_mapped(&e, 1);
}

/* A hole of a page every 256 MiB, and entries that no processor could address. */
TEST(many_holes)
{
	static struct memory_entry many[HOLES + 2];

	for (uint64_t i = 0; i < HOLES; i++)
		many[i] = (struct memory_entry){ 7, 0, 4 * GIB + i * GIB / 4 + 0x5000, 0,
			GIB / 4 / PAGE_4K - 1, 8 };
	many[HOLES] = (struct memory_entry){ 7, 0, 1ULL << 50, 0, 1ULL << 50, 8 };
	many[HOLES + 1] = (struct memory_entry){ 7, 0, 1ULL << 53, 0, 1, 8 };
	expect_mapped(many, HOLES + 2);
}

/* A page that a runtime service touches: written or read, or executed as well. */
TEST(a_touched_page_is_mapped_for_what_it_may_do)
{
	enum { CODE = 5, FREE = 7, LOADER_DATA = 2 };
	static const struct memory_entry e[] = { { FREE, 0, MIB, 0, 1, 0 },
		{ CODE, 0, 2 * MIB, 0, 1, 0 }, { LOADER_DATA, 0, 3 * MIB, 0, 1, 0 } };
	const struct memory_map map = { (unsigned char *)e, sizeof e, sizeof *e };
	const unsigned rw = ACCESS_READ | ACCESS_WRITE, rwx = rw | ACCESS_EXECUTE;
	const uint64_t end = 1ULL << 36;

	assert_int_equal(rw, layout_runtime_touched(&map, MIB, false, end));
	assert_int_equal(ACCESS_NONE, layout_runtime_touched(&map, MIB, true, end));
	assert_int_equal(rwx, layout_runtime_touched(&map, 2 * MIB, false, end));
	assert_int_equal(rwx, layout_runtime_touched(&map, 2 * MIB, true, end));
	assert_int_equal(ACCESS_NONE, layout_runtime_touched(&map, 3 * MIB, false, end));
	assert_int_equal(ACCESS_NONE, layout_runtime_touched(&map, 3 * MIB, true, end));
	assert_int_equal(rw | ACCESS_UNCACHED, layout_runtime_touched(&map, end - 1, false, end));
	assert_int_equal(ACCESS_NONE, layout_runtime_touched(&map, end - 1, true, end));
	assert_int_equal(ACCESS_NONE, layout_runtime_touched(&map, end, false, end));
	assert_int_equal(ACCESS_NONE, layout_runtime_touched(&map, 2 * MIB, true, 2 * MIB));
}
