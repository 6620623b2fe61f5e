/* SPDX-License-Identifier: MIT */
/* The fake machine's memory map and page tables. */
#include "tests/kam/image/memmap.h"
#include "tests/kam/image/walk.h"
#include "tests/unit/test.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

/* 1 MiB of the firmware's, 15 MiB free, and 1 GiB from 4 GiB on. */
static struct memmap example(void)
{
	struct memmap m = { .n = 0 };

	memmap_add(&m, 0, MIB, MEMMAP_FIRMWARE_DATA);
	memmap_add(&m, MIB, 15 * MIB, MEMMAP_FREE);
	memmap_add(&m, 4 * GIB, GIB, MEMMAP_FREE);
	return m;
}

/* Ascending, without a gap or an overlap in the first 16 MiB, and nothing lost. */
static void assert_contiguous(const struct memmap *m)
{
	uint64_t at = 0;
	unsigned i;

	for (i = 0; i + 1 < m->n; i++) {
		assert_int_equal(m->range[i].base, at);
		assert_true(m->range[i].pages > 0);
		at += m->range[i].pages * 4096;
	}
	assert_int_equal(at, 16 * MIB);
	assert_int_equal(m->range[i].base, 4 * GIB);
	assert_int_equal(m->range[i].pages, GIB / 4096);
}

TEST(test_any_comes_from_the_top_below_4g)
{
	struct memmap m = example();
	uint64_t at = 0, key = m.key;

	assert_true(memmap_take(&m, MEMMAP_ANY, MEMMAP_LOADER_CODE, 16, &at));
	assert_int_equal(at, 16 * MIB - 16 * 4096);
	assert_true(m.key != key);
	assert_true(memmap_take(&m, MEMMAP_ANY, MEMMAP_LOADER_CODE, 1, &at));
	assert_int_equal(at, 16 * MIB - 17 * 4096);
	assert_int_equal(m.n, 5);
	assert_contiguous(&m);
	key = m.key;
	assert_false(memmap_take(&m, MEMMAP_ANY, MEMMAP_LOADER_CODE, 15 * MIB / 4096 - 16, &at));
	assert_int_equal(m.key, key);
	assert_true(memmap_take(&m, MEMMAP_ANY, MEMMAP_LOADER_CODE, 15 * MIB / 4096 - 17, &at));
	assert_int_equal(at, MIB);
	assert_contiguous(&m);
}

TEST(test_below)
{
	struct memmap m = example();
	uint64_t at = 2 * MIB - 1;

	assert_true(memmap_take(&m, MEMMAP_BELOW, MEMMAP_LOADER_CODE, 1, &at));
	assert_int_equal(at, 2 * MIB - 4096);
	at = 2 * MIB; /* the last byte may not lie beyond it: the page at 2 MiB does not fit */
	assert_true(memmap_take(&m, MEMMAP_BELOW, MEMMAP_LOADER_CODE, 1, &at));
	assert_int_equal(at, 2 * MIB - 2 * 4096);
	at = MIB - 1;
	assert_false(memmap_take(&m, MEMMAP_BELOW, MEMMAP_LOADER_CODE, 1, &at));
	at = UINT64_MAX;
	assert_true(memmap_take(&m, MEMMAP_BELOW, MEMMAP_LOADER_CODE, 1, &at));
	assert_int_equal(at, 16 * MIB - 4096);
	assert_contiguous(&m);
}

TEST(test_at)
{
	struct memmap m = example();
	uint64_t at = 4 * MIB;

	assert_true(memmap_take(&m, MEMMAP_AT, MEMMAP_LOADER_CODE, 256, &at));
	assert_int_equal(at, 4 * MIB);
	assert_int_equal(m.range[2].type, MEMMAP_LOADER_CODE);
	assert_contiguous(&m);
	assert_false(memmap_take(&m, MEMMAP_AT, MEMMAP_LOADER_CODE, 1, &at));
	at = 3 * MIB;
	assert_false(memmap_take(&m, MEMMAP_AT, MEMMAP_LOADER_CODE, 257, &at));
	at = 3 * MIB + 1;
	assert_false(memmap_take(&m, MEMMAP_AT, MEMMAP_LOADER_CODE, 1, &at));
	at = 4 * GIB + 2 * MIB;
	assert_true(memmap_take(&m, MEMMAP_AT, MEMMAP_LOADER_CODE, 512, &at));
	assert_int_equal(m.range[m.n - 2].base, 4 * GIB + 2 * MIB);
	assert_int_equal(m.range[m.n - 1].base, 4 * GIB + 4 * MIB);
}

TEST(test_entries)
{
	uint64_t out[3][MEMMAP_ENTRY_BYTES / 8];
	struct memmap m = { .n = 0 };

	memmap_add(&m, 0, 4096, MEMMAP_RUNTIME_CODE);
	memmap_add(&m, 4096, 8192, MEMMAP_FREE);
	memmap_write(&m, out);
	assert_int_equal(out[0][0], MEMMAP_RUNTIME_CODE);
	assert_int_equal(out[0][3], 1);
	assert_int_equal(out[0][4], 1ull << 63 | 8);
	assert_int_equal(out[1][0], MEMMAP_FREE);
	assert_int_equal(out[1][1], 4096);
	assert_int_equal(out[1][3], 2);
	assert_int_equal(out[1][4], 8);
}

#define ROOT 0x10000ull

/* Tables at ROOT and above: 1 GiB at 1 GiB, 2 MiB at 2 MiB, 4 KiB at 4 KiB and, moved, at 8 KiB. */
static struct ram tables(void)
{
	struct ram r;
	uint64_t *t;

	ram_open(&r, MIB, 0);
	t = ram_at(&r, ROOT, 4 * 4096);
	t[0] = (ROOT + 0x1000) | 3;
	t[1] = (2 * MIB) | 3; /* a table that is not memory */
	t[512] = (ROOT + 0x2000) | 3;
	t[512 + 1] = GIB | 0x83 | 0x1000; /* with the attribute bit of a large page */
	t[1024] = (ROOT + 0x3000) | 1 | 1ull << 63;
	t[1024 + 1] = (2 * MIB) | 0x81;
	t[1536 + 1] = 0x1000 | 3;
	t[1536 + 2] = 0x5000 | 3;
	return r;
}

static void assert_page(const struct ram *r, uint64_t address, unsigned shift, uint64_t physical,
	bool writable, bool executable)
{
	struct walked_page p;

	assert_true(walk(r, ROOT | 0x18, address, &p)); /* CR3 has flags, too */
	assert_int_equal(p.shift, shift);
	assert_int_equal(p.physical, physical);
	assert_int_equal(p.writable, writable);
	assert_int_equal(p.executable, executable);
	assert_int_equal(p.entries, (48 - shift) / 9);
	for (unsigned i = 0; i < p.entries; i++) /* one table after the other */
		assert_int_equal(p.entry[i],
			ROOT + i * 0x1000 + (address >> (39 - 9 * i) & 511) * 8);
}

TEST(test_walk)
{
	struct ram r = tables();
	struct walked_page p;

	assert_page(&r, GIB + 0x2345, 30, GIB + 0x2345, true, true);
	assert_page(&r, 2 * MIB + 77, 21, 2 * MIB + 77, false, true);
	assert_page(&r, 0x1fff, 12, 0x1fff, false, false);
	assert_page(&r, 0x2008, 12, 0x5008, false, false);
	assert_false(walk(&r, ROOT, 0x3000, &p));
	assert_false(walk(&r, ROOT, 4 * MIB, &p));
	assert_false(walk(&r, ROOT, 2 * GIB, &p));
	assert_false(walk(&r, ROOT, 512 * GIB, &p));
	assert_false(walk(&r, ROOT, 1024 * GIB, &p));
	ram_close(&r);
}

TEST(test_ram)
{
	struct ram r;

	ram_open(&r, MIB, MIB);
	assert_ptr_equal(ram_find(&r, 10, 1), r.span[0].at + 10);
	assert_ptr_equal(ram_find(&r, 4 * GIB, MIB), r.span[1].at);
	assert_null(ram_find(&r, MIB, 1));
	assert_null(ram_find(&r, MIB - 4, 8));
	assert_null(ram_find(&r, 4 * GIB - 1, 1));
	assert_null(ram_find(&r, UINT64_MAX, 2));
	ram_close(&r);
}
