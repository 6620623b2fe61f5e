/* SPDX-License-Identifier: MIT */
/* The page tables of machines: what they map, and how. */
#include <stdlib.h>
#include <string.h>

#include "kernel/memory/address_space.h"
#include "tests/unit/page_walk.h"
#include "tests/unit/test.h"

BEFORE_ALL(take_pool);
AFTER_ALL(drop_pool);

TEST(sizes_and_levels)
{
	for (unsigned levels = 4; levels <= 5; levels++)
		for (unsigned gigabytes = 0; gigabytes < 2; gigabytes++) {
			open_tables(levels, gigabytes);
			page_map(&tables, 0, 6 * GIB, RW, PAGE_1G);
			check(0, 6 * GIB, RW, gigabytes ? PAGE_1G : PAGE_2M);
			check(6 * GIB, GIB, ACCESS_NONE, 0);
			page_map(&tables, 1ULL << 46, PAGE_2M, RW, PAGE_1G);
			check(1ULL << 46, PAGE_2M, RW, PAGE_2M);
			assert_false(tables.exhausted);
		}
}

TEST(later_maps_split_earlier_ones)
{
	open_tables(4, true);
	page_map(&tables, 0, 4 * GIB, RW, PAGE_1G);
	page_map(&tables, 0x40201000, 0x3000, RX, PAGE_1G);
	page_map(&tables, 0x40203800, 1, ACCESS_READ, PAGE_1G); /* rounds outwards */
	page_map(&tables, 0x7fe00000, PAGE_2M, ACCESS_NONE, PAGE_1G);
	check(0x40000000, 0x200000, RW, PAGE_2M);
	check(0x40200000, 0x1000, RW, PAGE_4K);
	check(0x40201000, 0x2000, RX, PAGE_4K);
	check(0x40203000, 0x1000, ACCESS_READ, PAGE_4K);
	check(0x40204000, 0x1fc000, RW, PAGE_4K);
	check(0x7fc00000, 0x200000, RW, PAGE_2M);
	check(0x7fe00000, PAGE_2M, ACCESS_NONE, 0);
	check(0x80000000, GIB, RW, PAGE_1G);
	page_map(&tables, 0x7fe01000, PAGE_4K, RW, PAGE_4K); /* into what is absent */
	check(0x7fe00000, PAGE_4K, ACCESS_NONE, 0);
	check(0x7fe01000, PAGE_4K, RW, PAGE_4K);
}

TEST(arena_changes_its_pages)
{
	const struct {
		uint64_t base, bytes;
	} arenas[] = { { 4 * GIB, 2 * GIB }, { 5 * GIB + 6 * MIB, 1500 * MIB },
		{ 64 * MIB, 128 * MIB }, { 2 * GIB - 2 * MIB, 1 * GIB + 4 * MIB } };
	const uint64_t pages[] = { PAGE_4K, PAGE_1G, PAGE_2M, PAGE_1G, PAGE_4K, PAGE_2M };

	for (unsigned i = 0; i < 16; i++) {
		struct remappable r = { .base = arenas[i / 4].base, .bytes = arenas[i / 4].bytes };
		bool gigabytes = i & 1, holes = i & 2;
		unsigned around = holes ? ACCESS_NONE : RW;
		uint64_t end = r.base + r.bytes;

		open_tables(4, gigabytes);
		page_map(&tables, 0, 8 * GIB, RW, PAGE_1G);
		if (holes) {
			page_map(&tables, r.base - PAGE_4K, PAGE_4K, ACCESS_NONE, PAGE_4K);
			page_map(&tables, end, PAGE_4K, ACCESS_NONE, PAGE_4K);
		}
		remappable_open(&tables, &r, true);
		assert_true(r.bytes);
		size_t used = tables.pool_used;
		for (unsigned k = 0; k < 6; k++) {
			uint64_t whole = (r.base + GIB - 1) & -GIB, whole_end = end & -GIB;

			remap(&tables, &r, pages[k]);
			check(r.base, r.bytes, RW, pages[k] == PAGE_1G ? 0 : pages[k]);
			if (pages[k] == PAGE_1G && whole < whole_end)
				check(whole, whole_end - whole, RW, gigabytes ? PAGE_1G : PAGE_2M);
			check(r.base - PAGE_4K, PAGE_4K, around, 0);
			check(end, PAGE_4K, around, 0);
			check(end + PAGE_4K, 16 * MIB, RW, 0);
		}
		assert_int_equal(tables.pool_used, used); /* nothing is taken while in use */
	}
}

/* The start of the arena uncached, then ordinary again, without taking tables. */
TEST(memory_types_come_and_go)
{
	static const unsigned access[] = { ACCESS_COMBINING, ACCESS_UNCACHED };
	struct remappable r = { .base = GIB, .bytes = 64 * MIB };

	open_tables(4, true);
	remappable_open(&tables, &r, true);
	assert_true(r.bytes);
	size_t used = tables.pool_used;

	for (unsigned i = 0; i < 2; i++) {
		remap(&tables, &r, PAGE_2M);
		page_map(&tables, r.base, PAGE_2M, RW | access[i], PAGE_2M);
		check(r.base, PAGE_2M, RW | access[i], PAGE_2M);
		check(r.base + PAGE_2M, PAGE_2M, RW, PAGE_2M);
		remap(&tables, &r, i ? PAGE_4K : PAGE_2M);
		check(r.base, 2 * PAGE_2M, RW, i ? PAGE_4K : PAGE_2M);
	}
	assert_int_equal(tables.pool_used, used);
}

TEST(a_small_pool_is_noticed)
{
	struct remappable r = { .base = GIB, .bytes = GIB };

	for (size_t pages = 1; pages < 12; pages++) {
		page_tables_open(&tables, pool, pages * PAGE_4K,
			(struct paging_features){ 4, false, true });
		page_map(&tables, 0, 16 * GIB, RW, PAGE_1G);
		assert_true(tables.exhausted);
	}
	page_tables_open(&tables, pool, 200 * PAGE_4K, (struct paging_features){ 4, true, true });
	page_map(&tables, 0, 4 * GIB, RW, PAGE_1G);
	remappable_open(&tables, &r, true);
	assert_int_equal(0, r.bytes);
}

/* --- the address space as a whole --- */

static struct memory_entry map[] = {
	{ .type = 7, .base = 0x0, .pages = 0xa0 },
	{ .type = 7, .base = 0x100000, .pages = 0x700 },
	{ .type = 10, .base = 0x800000, .pages = 8, .attributes = MEMORY_RUNTIME },
	{ .type = 7, .base = 0x808000, .pages = 0x7d000 - 0x808 },
	{ .type = 5, .base = 0x7d000000, .pages = 0x100, .attributes = MEMORY_RUNTIME },
	{ .type = 6, .base = 0x7d100000, .pages = 0x100, .attributes = MEMORY_RUNTIME },
	{ .type = 4, .base = 0x7d200000, .pages = 0x123 },
	{ .type = 11, .base = 0xffc00000, .pages = 0x400, .attributes = MEMORY_RUNTIME },
	{ .type = 7, .base = 0x100000000, .pages = 0x80000 },
	{ .type = 3, .base = 0x200000000, .pages = 0x123 },
	{ .type = 0, .base = 0x240000000, .pages = 1 },
	{ .type = 1, .base = 0x280000000, .pages = 1 },
	{ .type = 2, .base = 0x2c0000000, .pages = 1 },
	{ .type = 8, .base = 0x300000000, .pages = 1 },
};

/* An image of a header and three sections, as the linker script lays it out. */
static void make_image(unsigned char *image)
{
	static const struct {
		const char *name;
		uint32_t bytes, at, flags;
	} sections[] = { { ".text", 0x1800, 0x1000, 0x60000020 },
		{ ".rodata", 0x1000, 0x3000, 0x40000040 },
		{ ".data", 0x2000, 0x4000, 0xc0000040 } };
	unsigned char *line = image + 0x40 + 24 + 0x88;

	memset(image, 0, 0x6000);
	image[0x3c] = 0x40;
	memcpy(image + 0x40, "PE\0\0", 4);
	image[0x46] = 3;
	image[0x54] = 0x88;
	for (unsigned i = 0; i < 3; i++, line += 40) {
		memcpy(line, sections[i].name, strlen(sections[i].name));
		memcpy(line + 8, &sections[i].bytes, 4);
		memcpy(line + 12, &sections[i].at, 4);
		memcpy(line + 36, &sections[i].flags, 4);
	}
}

TEST(whole_address_space)
{
	unsigned char *image = aligned_alloc(PAGE_4K, 0x6000);
	struct machine m = { .image = { (uint64_t)image, 0x6000 },
		.map = { (unsigned char *)map, sizeof map, sizeof *map },
		.arena = { 0x100000000, 2 * GIB },
		.work = { 0x10000000, 32 * MIB },
		.screen.span = { 0xc000000000, 8 * MIB } };
	struct layout l;
	uint64_t at = (uint64_t)image;

	make_image(image);
	assert_true(layout_divide(&m, &l));
	open_tables(4, true);
	layout_map(&m, &l, 0xfe03e000, &tables);
	assert_false(tables.exhausted);
	check(0, PAGE_4K, ACCESS_NONE, 0);
	check(PAGE_4K, PAGE_2M - PAGE_4K, RW, PAGE_4K);
	check(0x40000000, 0x3d000000, RW, PAGE_2M); /* its gigabyte ends in a hole */
	check(0x7d000000, 0x200000, RW, 0); /* nothing but the image is executed while we measure */
	check(0x80000000, 0x7e000000, RW, 0);
	check(0xffc00000, 0x400000, RW, 0);
	check(0x100000000, 2 * GIB, RW, PAGE_1G);
	check(0x180000000, GIB, ACCESS_NONE, 0);
	check(0x200000000, 0x123000, RW, 0);
	check(0x240000000, PAGE_4K, ACCESS_NONE, 0);
	check(0xc000000000, 8 * MIB, RW | ACCESS_COMBINING, PAGE_2M);
	check(at, PAGE_4K, ACCESS_READ, PAGE_4K);
	check(at + 0x1000, 0x2000, RX, PAGE_4K);
	check(at + 0x3000, 0x1000, ACCESS_READ, PAGE_4K);
	check(at + 0x4000, 0x2000, RW, PAGE_4K);
	for (unsigned i = 0; i < LAYOUT_STACKS; i++) {
		check(l.stack[i].base - PAGE_4K, PAGE_4K, ACCESS_NONE, 0);
		check(l.stack[i].base, l.stack[i].bytes, RW, 0);
		assert_true(l.stack[i].base + l.stack[i].bytes <= m.work.base + m.work.bytes);
	}
	assert_int_equal(l.code.base % PAGE_2M, 0);
	assert_true(l.work.base + l.work.bytes == m.work.base + m.work.bytes);
	layout_runtime(&m.map, &tables);
	check(0, PAGE_4K, RW, PAGE_4K);
	check(0x7d000000, 0x100000, RW | ACCESS_EXECUTE, 0);
	check(0x7d100000, 0x100000, RW, 0);
	check(0x200000000, 0x123000, RW | ACCESS_EXECUTE, 0);
	check(0x240000000, PAGE_4K, ACCESS_NONE, 0);
	check(at + 0x1000, 0x2000, RX, PAGE_4K);
	assert_false(tables.exhausted);
	free(image);
}

/* Bit 63 is reserved there: a page with it faults. */
TEST(a_processor_without_no_execute)
{
	struct remappable r = { .base = 0x100000000, .bytes = 64 * MIB };
	const uint64_t *entry;

	open_tables(4, true);
	tables.has.no_execute = false;
	page_map(&tables, 0, 4 * GIB, RW, PAGE_1G);
	page_map(&tables, PAGE_2M, PAGE_4K, ACCESS_READ, PAGE_4K);
	remappable_open(&tables, &r, true);
	assert_true(r.bytes);
	remap(&tables, &r, PAGE_4K);
	for (size_t at = 0; at < tables.pool_used; at += sizeof *entry) {
		entry = (const uint64_t *)(tables.pool + at);
		if (*entry >> 63)
			fail_msg("entry %zu: %016llx", at / 8, (unsigned long long)*entry);
	}
}

/* What a runtime service touches without having asked for it. */
TEST(pages_for_runtime_services)
{
	const struct memory_map m = { (unsigned char *)map, sizeof map, sizeof *map };

	assert_int_equal(layout_runtime_access(&m, 0x7d200000), RW | ACCESS_EXECUTE);
	assert_int_equal(layout_runtime_access(&m, 0x240000), RW); /* free: no code is there */
	assert_int_equal(layout_runtime_access(&m, 0), RW);
	assert_int_equal(layout_runtime_access(&m, 0xfed00000), RW);
	assert_int_equal(layout_runtime_access(&m, 0x240000fff), RW | ACCESS_UNCACHED);
	assert_int_equal(layout_runtime_access(&m, 0x240001000), RW | ACCESS_UNCACHED);
	assert_int_equal(layout_runtime_access(&m, 0x280000000), ACCESS_NONE); /* ours */
	assert_int_equal(layout_runtime_access(&m, 0x2c0000000), ACCESS_NONE);
	assert_int_equal(layout_runtime_access(&m, 0x300000000), ACCESS_NONE); /* broken */
}

#define HOLES 500

TEST(too_little_work_memory)
{
	struct machine m = { .arena = { 0, 4 * GIB }, .work = { 0x10000000, 8 * MIB } };
	struct layout l;

	assert_false(layout_divide(&m, &l));
	m.work.bytes = 24 * MIB;
	assert_true(layout_divide(&m, &l));
}
