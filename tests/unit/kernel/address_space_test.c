/* SPDX-License-Identifier: MIT */
/* The page tables of machines: what they map, and how. */
#include "engine/room.h"
#include "kernel/memory/address_space.c"
#include "tests/unit/test.h"

/*
 * Page tables, read by a walker of its own that knows only the SDM's format. Included by a test,
 * after cmocka.
 */

#define POOL (24 * MIB)

static void *pool;
static struct page_tables tables;

struct mapped {
	bool present, writable, executable, ring_3;
	uint64_t to, page;
	unsigned attribute; /* entry of the page attribute table */
};

/* SDM vol. 3A figure 4-11: what the processor would make of it. */
static struct mapped look(uint64_t address)
{
	static const uint64_t reserved_1g = 0x3fffe000, reserved_2m = 0x1fe000;
	struct mapped m = { true, true, true, true, 0, 0, 0 };
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
		m.ring_3 &= e >> 2 & 1;
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
		assert_int_equal(m.ring_3, (access & ACCESS_RING_3) != 0);
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

/* The entries on the way to a page, as this file's own walker goes it; none is global. */
TEST(entries_of_a_page)
{
	static const uint64_t pages[] = PAGE_SIZES;
	uint64_t *entry[TABLE_LEVELS];

	for (unsigned levels = 4; levels <= 5; levels++)
		for (unsigned i = 0; i < 3; i++) {
			uint64_t at = 3 * GIB + 7 * PAGE_2M + 5 * PAGE_4K + 123;
			const uint64_t *table;

			open_tables(levels, true);
			page_map(&tables, 2 * GIB, 2 * GIB, RW, pages[i]);
			assert_int_equal(levels - i, page_entries(&tables, at, entry));
			table = tables.root;
			for (unsigned n = 0; n < levels - i; n++) {
				unsigned shift = 12 + 9 * (levels - 1 - n);

				assert_ptr_equal(entry[n], table + (at >> shift & 511));
				assert_false(*entry[n] & 1 << 8);
				table = (const uint64_t *)(*entry[n] & 0x000ffffffffff000);
			}
			assert_int_equal(0, page_entries(&tables, 6 * GIB, entry));
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

/* An image of a header and four sections, as the linker script lays it out. */
static void make_image(unsigned char *image)
{
	static const struct {
		const char *name;
		uint32_t bytes, at, flags;
	} sections[] = { { ".text", 0x1000, 0x1000, 0x60000020 },
		{ ".loops", 0x800, 0x2000, 0x60000020 }, { ".rodata", 0x1000, 0x3000, 0x40000040 },
		{ ".data", 0x2000, 0x4000, 0xc0000040 } };
	unsigned char *line = image + 0x40 + 24 + 0x88;

	memset(image, 0, 0x6000);
	image[0x3c] = 0x40;
	memcpy(image + 0x40, "PE\0\0", 4);
	image[0x46] = 4;
	image[0x54] = 0x88;
	for (unsigned i = 0; i < 4; i++, line += 40) {
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
	struct memory_layout l;
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
	check(at + 0x1000, 0x1000, RX, PAGE_4K);
	check(at + 0x2000, 0x1000, RX | ACCESS_RING_3, PAGE_4K); /* the loops */
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
	check(at + 0x1000, 0x1000, RX, PAGE_4K);
	check(at + 0x2000, 0x1000, RX | ACCESS_RING_3, PAGE_4K); /* the loops */
	assert_false(tables.exhausted);
	free(image);
}

/* For the user's own code: this program, its work memory and the arena's part alone. */
TEST(confined_to_a_span)
{
	unsigned char *image = aligned_alloc(PAGE_4K, 0x6000);
	struct machine m = { .image = { (uint64_t)image, 0x6000 },
		.arena = { 0x100000000, 2 * GIB },
		.work = { 0x10000000, 32 * MIB } };
	const struct span part = { 0x100000000, 5 * MIB + 1 };
	struct memory_layout *l = &address_space.layout;
	uint64_t at = (uint64_t)image, root;

	make_image(image);
	assert_true(layout_divide(&m, l));
	open_tables(4, true);
	address_space.machine = &m;
	address_space.tables = tables;
	assert_int_equal(0, address_space.tables.pool_bytes < 2 * CONFINED_BYTES);
	root = address_space_confine(&part, PAGE_2M, 0xfee00000);
	assert_true(root != 0);
	assert_true(root == address_space_confine(&part, PAGE_2M, 0xfee00000));
	assert_int_equal(tables.pool_bytes - CONFINED_BYTES, address_space.tables.pool_bytes);
	tables = confined.tables;
	check(0, 0x10000000, ACCESS_NONE, 0);
	check(0x12000000, 0x100000000 - 0x12000000 - 0x1200000, ACCESS_NONE, 0);
	check(0xfee00000, PAGE_4K, RW | ACCESS_UNCACHED, PAGE_4K);
	check(0x100000000, 4 * MIB, RW, PAGE_2M);
	check(0x100400000, MIB + PAGE_4K, RW, PAGE_4K);
	check(0x100501000, GIB, ACCESS_NONE, 0);
	check(at, PAGE_4K, ACCESS_READ, PAGE_4K);
	check(at + 0x1000, 0x1000, RX, PAGE_4K);
	check(at + 0x4000, 0x2000, RW, PAGE_4K);
	check(l->tables.base, l->tables.bytes, ACCESS_READ, 0);
	check(l->code.base, l->code.bytes, RX, PAGE_4K);
	check(l->work.base, l->work.bytes, RW, 0);
	for (unsigned i = 0; i < LAYOUT_STACKS; i++) {
		check(l->stack[i].base - PAGE_4K, PAGE_4K, ACCESS_NONE, 0);
		check(l->stack[i].base, l->stack[i].bytes, RW, 0);
	}
	assert_true(address_space_confine(&part, PAGE_4K, 0xfee00000) != 0);
	tables = confined.tables;
	check(0x100000000, 4 * MIB, RW, PAGE_4K);
	address_space = (struct address_space){ 0 };
	memset(&confined, 0, sizeof confined);
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

/* Pages that a runtime service touches although the memory map does not give it them. */
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
	struct memory_layout l;

	assert_false(layout_divide(&m, &l));
	m.work.bytes = 24 * MIB;
	assert_true(layout_divide(&m, &l));
}

/* With little memory, less of it is for code: what does not fit there is not measured. */
TEST(memory_for_code)
{
	struct machine m = { .work = { 0x10000000, 24 * MIB } };
	struct memory_layout l;

	assert_true(layout_divide(&m, &l));
	assert_int_equal(l.code.bytes, 2 * MIB);
	m.work.bytes = 64 * MIB;
	assert_true(layout_divide(&m, &l));
	assert_int_equal(l.code.bytes, CODE_BYTES);
	assert_true(CODE_BYTES >= 131072 * 32); /* the most jumps, the widest spacing */
}

/* Page tables in a pool that is just large enough, or just too small, and maps that end oddly. */

/* The last pages of the pool, with nothing behind them. */
static void open_last(size_t pages, bool gigabytes)
{
	unsigned char *end = (unsigned char *)pool + POOL;

	memset(end - pages * PAGE_4K, 0xa5, pages * PAGE_4K); /* as found: not zero */
	page_tables_open(&tables, end - pages * PAGE_4K, pages * PAGE_4K,
		(struct paging_features){ 4, gigabytes, true });
}

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

/* The page tables of memory maps that need many, on a processor without 1 GiB pages. */

#define HOLES_LAYOUT 2000

static void expect_mapped(const struct memory_entry *e, size_t n)
{
	struct machine m = { .map = { (unsigned char *)e, n * sizeof *e, sizeof *e },
		.work = { 0x10000000, 64 * MIB } };
	struct page_tables tables;
	struct memory_layout l;
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
	static struct memory_entry many[HOLES_LAYOUT + 2];

	for (uint64_t i = 0; i < HOLES_LAYOUT; i++)
		many[i] = (struct memory_entry){ 7, 0, 4 * GIB + i * GIB / 4 + 0x5000, 0,
			GIB / 4 / PAGE_4K - 1, 8 };
	many[HOLES_LAYOUT] = (struct memory_entry){ 7, 0, 1ULL << 50, 0, 1ULL << 50, 8 };
	many[HOLES_LAYOUT + 1] = (struct memory_entry){ 7, 0, 1ULL << 53, 0, 1, 8 };
	expect_mapped(many, HOLES_LAYOUT + 2);
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

/* Memory taken from the work memory does not move the rows' part. */

#define BASE  0x40000000ull
#define BYTES (64 * PAGE_4K)

TEST(the_begin_stays)
{
	struct span *work = &address_space.layout.work;
	/* a display of 640x480, of 1280x800, the stacks of a processor, a list of two */
	static const size_t sizes[] = { 4800, 16000, 40960, 2 };
	uint64_t end = BASE + BYTES;

	*work = (struct span){ BASE, BYTES };
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		uint64_t at = (uint64_t)work_memory_take(sizes[i]);

		assert_int_equal(work->base, BASE);
		assert_int_equal(at % 64, 0);
		assert_in_range(at, BASE + work->bytes, end - sizes[i]);
		end = at;
	}
	assert_null(work_memory_take(BYTES));
	assert_int_equal(BASE + work->bytes, end);
	assert_non_null(work_memory_take(work->bytes));
	assert_int_equal(work->bytes, 0);
}
