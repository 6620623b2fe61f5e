/* SPDX-License-Identifier: MIT */
/*
 * Page tables, read by a walker of its own that knows only the SDM's format. Included by a test,
 * after cmocka.
 */
#ifndef TESTS_UNIT_PAGE_WALK_H
#define TESTS_UNIT_PAGE_WALK_H

#include <stdlib.h>
#include <string.h>

#include "kernel/memory/address_space.h"
#include "engine/room.h"
#include "tests/unit/test.h"

#define POOL (24 * MIB)

static void *pool;
static struct page_tables tables;

struct mapped {
	bool present, writable, executable;
	uint64_t to, page;
	unsigned attribute; /* entry of the page attribute table */
};

/* SDM vol. 3A figure 4-11: what the processor would make of it. */
static struct mapped look(uint64_t address)
{
	static const uint64_t reserved_1g = 0x3fffe000, reserved_2m = 0x1fe000;
	struct mapped m = { true, true, true, 0, 0, 0 };
	const uint64_t *table = tables.root;

	for (unsigned level = tables.has.levels; level >= 1; level--) {
		unsigned shift = 12 + 9 * (level - 1);
		uint64_t e = table[address >> shift & 511], span = 1ULL << shift;

		if (!(e & 1)) {
			assert_int_equal(e, 0); /* nothing is kept in what is absent */
			return (struct mapped){ 0 };
		}
		assert_true(e & 1 << 5); /* accessed: the walker has nothing to write */
		m.writable &= e >> 1 & 1;
		m.executable &= !(e >> 63);
		assert_int_equal(e & 1 << 2, 0); /* supervisor */
		if (level == 1 || (e & 1 << 7)) {
			assert_true(level <= 3);
			assert_int_equal(e &
					(level == 3                  ? reserved_1g
							: level == 2 ? reserved_2m
								     : 0),
				0);
			assert_true(e & 1 << 6); /* dirty */
			m.page = span;
			m.attribute = (e >> 3 & 3) | ((level == 1 ? e >> 5 : e >> 10) & 4);
			m.to = (e & 0x000ffffffffff000 & ~(span - 1)) | (address & (span - 1));
			return m;
		}
		table = (const uint64_t *)(e & 0x000ffffffffff000);
	}
	return m;
}

static void check(uint64_t from, uint64_t bytes, unsigned access, uint64_t page)
{
	uint64_t step = bytes / 97 > 4096 ? bytes / 97 : 4096;

	for (uint64_t at = from; at < from + bytes; at += step) {
		struct mapped m = look(at);

		assert_int_equal(m.present, access != 0);
		if (!access)
			continue;
		assert_true(m.to == at);
		assert_int_equal(m.writable, (access & ACCESS_WRITE) != 0);
		assert_int_equal(m.executable, (access & ACCESS_EXECUTE) != 0);
		assert_int_equal(m.attribute,
			access & ACCESS_UNCACHED ? 3 : (access & ACCESS_COMBINING) != 0);
		if (page)
			assert_int_equal(m.page, page);
	}
}

static void open_tables(unsigned levels, bool gigabytes)
{
	page_tables_open(&tables, pool, POOL, (struct paging_features){ levels, gigabytes, true });
}

static void take_pool(void)
{
	pool = aligned_alloc(PAGE_4K, POOL);
	assert_non_null(pool);
}

static void drop_pool(void)
{
	free(pool);
}

#define RW (ACCESS_READ | ACCESS_WRITE)
#define RX (ACCESS_READ | ACCESS_EXECUTE)

#endif
