/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/memory/address_space.h"
#include "engine/room.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/x86.h"

#define PRESENT    (1ULL << 0)
#define WRITABLE   (1ULL << 1)
#define RING_3     (1ULL << 2)
#define PWT        (1ULL << 3) /* with PCD the number of a page attribute entry */
#define PCD        (1ULL << 4)
#define ACCESSED   (1ULL << 5) /* set in advance: the page walker need not write while we measure */
#define DIRTY      (1ULL << 6)
#define LARGE      (1ULL << 7)
#define NO_EXECUTE (1ULL << 63)
#define ADDRESS    0x000ffffffffff000ULL

/* Flags of an entry that leads to a table; the entry of a page may have fewer. */
#define TABLE (PRESENT | WRITABLE | RING_3 | ACCESSED)

/* Bytes that one entry of a table at `level` covers; level 1 is the lowest. */
static uint64_t entry_bytes(unsigned level)
{
	return PAGE_4K << (9 * (level - 1));
}

static uint64_t leaf_flags(const struct page_tables *t, unsigned access)
{
	if (!access)
		return 0;
	return PRESENT | ACCESSED | DIRTY | (access & ACCESS_WRITE ? WRITABLE : 0) |
		(access & ACCESS_EXECUTE || !t->has.no_execute ? 0 : NO_EXECUTE) |
		(access & ACCESS_COMBINING ? PWT : 0) | (access & ACCESS_UNCACHED ? PWT | PCD : 0) |
		(access & ACCESS_RING_3 ? RING_3 : 0);
}

static uint64_t *take_pages(struct page_tables *t, size_t n)
{
	uint64_t *pages = (uint64_t *)(t->pool + t->pool_used);

	if (n * PAGE_4K > t->pool_bytes - t->pool_used) {
		t->exhausted = true;
		return NULL;
	}
	t->pool_used += n * PAGE_4K;
	return memset(pages, 0, n * PAGE_4K);
}

/* Begin an empty address space; pool is aligned to 4 KiB. */
static void page_tables_open(struct page_tables *t, void *pool, size_t pool_bytes,
	struct paging_features has)
{
	memset(t, 0, sizeof *t);
	t->pool = pool;
	t->pool_bytes = pool_bytes;
	t->has = has;
	t->root = take_pages(t, 1);
}

/*
 * Replace a large page by a table of smaller pages that map the same. No entry here has bit 12 of a
 * large page, which selects the upper four types of the PAT (Intel SDM 3A, table 4-18).
 */
static uint64_t *split(struct page_tables *t, uint64_t *entry, unsigned level)
{
	uint64_t *table = take_pages(t, 1), step = entry_bytes(level - 1);
	uint64_t flags = *entry & ~ADDRESS & ~LARGE, base = *entry & ADDRESS;

	if (!table)
		return NULL;
	for (unsigned i = 0; (*entry & PRESENT) && i < 512; i++)
		table[i] = (base + i * step) | flags | (level > 2 ? LARGE : 0);
	*entry = (uint64_t)table | TABLE;
	return table;
}

/* The table below an entry of a table at `level`; made if it is not there. */
static uint64_t *below(struct page_tables *t, uint64_t *entry, unsigned level)
{
	if ((*entry & PRESENT) && !(*entry & LARGE))
		return (uint64_t *)(*entry & ADDRESS);
	return split(t, entry, level);
}

static uint64_t *entry_of(uint64_t *table, uint64_t address, unsigned level)
{
	return &table[address / entry_bytes(level) % 512];
}

/* The entry for `address` in the table at `level`; NULL if the pool is used up. */
static uint64_t *walk(struct page_tables *t, uint64_t address, unsigned level)
{
	uint64_t *table = t->root;

	for (unsigned at = t->has.levels; table && at > level; at--)
		table = below(t, entry_of(table, address, at), at);
	return table ? entry_of(table, address, level) : NULL;
}

unsigned page_entries(const struct page_tables *t, uint64_t address, uint64_t *out[TABLE_LEVELS])
{
	uint64_t *table = t->root;
	unsigned n = 0;

	for (unsigned level = t->has.levels; level; level--) {
		uint64_t *entry = out[n++] = entry_of(table, address, level);

		if (!(*entry & PRESENT))
			return 0;
		if (*entry & LARGE)
			break;
		table = (uint64_t *)(*entry & ADDRESS);
	}
	return n;
}

static unsigned level_for(const struct page_tables *t, uint64_t at, uint64_t end, uint64_t page_max)
{
	for (unsigned level = t->has.gigabyte_pages ? 3 : 2; level > 1; level--) {
		uint64_t bytes = entry_bytes(level);

		if (bytes <= page_max && at % bytes == 0 && end - at >= bytes)
			return level;
	}
	return 1;
}

void page_map(struct page_tables *t, uint64_t base, uint64_t bytes, unsigned access,
	uint64_t page_max)
{
	uint64_t end = (base + bytes + PAGE_4K - 1) & -PAGE_4K;
	uint64_t flags = leaf_flags(t, access);

	for (uint64_t at = base & -PAGE_4K; at < end && !t->exhausted;) {
		unsigned level = level_for(t, at, end, page_max);
		uint64_t *entry = walk(t, at, level);

		if (entry)
			*entry = flags ? at | flags | (level > 1 ? LARGE : 0) : 0;
		at += entry_bytes(level);
	}
}

static uint64_t first_gigabyte(const struct remappable *r)
{
	return r->base & -PAGE_1G;
}

static void fill_tables(const struct page_tables *t, const struct remappable *r)
{
	uint64_t flags = leaf_flags(t, ACCESS_READ | ACCESS_WRITE);

	for (uint64_t i = 0; i < r->bytes / PAGE_4K; i++)
		r->tables[i] = (r->base + i * PAGE_4K) | flags;
}

/* Copy the present mappings around the memory into its directories. */
static bool adopt_directories(struct page_tables *t, struct remappable *r)
{
	uint64_t *to = r->directories;

	for (uint64_t at = first_gigabyte(r); at < r->base + r->bytes; at += PAGE_1G) {
		uint64_t *entry = walk(t, at, 3), *directory = entry ? below(t, entry, 3) : NULL;

		if (!directory)
			return false;
		memcpy(to, directory, PAGE_4K);
		to += 512;
	}
	return true;
}

static bool make_tables(struct page_tables *t, struct remappable *r, bool small)
{
	uint64_t end = r->base + r->bytes,
		 gigabytes = (end - first_gigabyte(r) + PAGE_1G - 1) / PAGE_1G;

	r->directories = take_pages(t, gigabytes);
	r->tables = small ? take_pages(t, r->bytes / PAGE_2M) : NULL;
	if (!r->directories || (small && !r->tables) || !adopt_directories(t, r))
		return false;
	if (small)
		fill_tables(t, r);
	remap(t, r, PAGE_2M);
	return !t->exhausted;
}

/*
 * Make the tables for r->base, r->bytes, with tables for 4 KiB pages if `small`; map it with 2 MiB
 * pages. If the pool is too small, r->bytes becomes 0: the memory is not used then.
 */
static void remappable_open(struct page_tables *t, struct remappable *r, bool small)
{
	if (r->bytes && !make_tables(t, r, small))
		r->bytes = 0;
}

static void remap_directory(const struct page_tables *t, const struct remappable *r,
	uint64_t *directory, uint64_t gigabyte, bool small)
{
	uint64_t flags = leaf_flags(t, ACCESS_READ | ACCESS_WRITE) | LARGE;

	for (unsigned i = 0; i < 512; i++) {
		uint64_t at = gigabyte + i * PAGE_2M;

		if (at < r->base || at >= r->base + r->bytes)
			continue;
		directory[i] = small ? (uint64_t)(r->tables + (at - r->base) / PAGE_4K) | TABLE
				     : at | flags;
	}
}

void remap(struct page_tables *t, const struct remappable *r, uint64_t page_bytes)
{
	uint64_t *directory = r->directories, end = r->base + r->bytes;

	for (uint64_t at = first_gigabyte(r); at < end; at += PAGE_1G) {
		uint64_t *entry = walk(t, at, 3);
		bool whole = at >= r->base && end - at >= PAGE_1G;

		if (page_bytes == PAGE_1G && whole && t->has.gigabyte_pages) {
			*entry = at | leaf_flags(t, ACCESS_READ | ACCESS_WRITE) | LARGE;
		} else {
			remap_directory(t, r, directory, at, page_bytes == PAGE_4K && r->tables);
			*entry = (uint64_t)directory | TABLE;
		}
		directory += 512;
	}
}

#define AT_PE_OFFSET 0x3c
#define COFF_BYTES   24 /* signature and file header */
#define LINE_BYTES   40 /* one line of the section table */

#define SECTION_EXECUTE 0x20000000U
#define SECTION_WRITE   0x80000000U

static uint32_t read32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static uint16_t read16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

bool image_section(const struct span *image, unsigned i, struct image_section *out)
{
	const unsigned char *base = (const unsigned char *)image->base;
	uint32_t pe = image->bytes >= 0x1000 ? read32(base + AT_PE_OFFSET) : 0x1000;

	if (pe > 0x1000 - COFF_BYTES || read32(base + pe) != 0x4550 || i >= read16(base + pe + 6))
		return false;
	uint32_t at = pe + COFF_BYTES + read16(base + pe + 20) + i * LINE_BYTES;
	if (at > 0x1000 - LINE_BYTES)
		return false;
	const unsigned char *line = base + at;
	uint32_t flags = read32(line + 36);
	memcpy(out->name, line, 8);
	out->name[8] = 0;
	out->span = (struct span){ image->base + read32(line + 12), read32(line + 8) };
	out->writable = flags & SECTION_WRITE;
	out->executable = flags & SECTION_EXECUTE;
	return true;
}

bool image_find(const struct span *image, uint64_t address, struct image_section *out)
{
	for (unsigned i = 0; image_section(image, i, out); i++)
		if (address - out->span.base < out->span.bytes)
			return true;
	return false;
}

#define RW  (ACCESS_READ | ACCESS_WRITE)
#define RWX (RW | ACCESS_EXECUTE)

#define PHYSICAL_END (1ULL << 52)
#define TABLES_EXTRA (4 * MIB)

/* EFI_MEMORY_TYPE, UEFI 2.10 table 7.6. */
enum {
	MEMORY_RESERVED = 0,
	MEMORY_LOADER_CODE = 1,
	MEMORY_LOADER_DATA = 2,
	MEMORY_BOOT_CODE = 3,
	MEMORY_RUNTIME_CODE = 5,
	MEMORY_FREE = 7,
	MEMORY_UNUSABLE = 8,
	MEMORY_ACPI_TABLES = 9,
	MEMORY_ACPI_NVS = 10,
};

static struct span cut_span(struct span *from, uint64_t bytes, uint64_t align)
{
	uint64_t base = (from->base + align - 1) & -align, gap = base - from->base;

	if (gap > from->bytes || bytes > from->bytes - gap) {
		from->bytes = 0;
		return (struct span){ 0, 0 };
	}
	from->base = base + bytes;
	from->bytes -= gap + bytes;
	return (struct span){ base, bytes };
}

static const struct memory_entry *entry_at(const struct memory_map *map, size_t i)
{
	size_t at = i * map->entry_bytes;

	if (map->entry_bytes == 0 || at + sizeof(struct memory_entry) > map->bytes)
		return NULL;
	return (const struct memory_entry *)(map->entries + at);
}

static uint64_t end_of(const struct memory_entry *e)
{
	return e->base + e->pages * PAGE_4K;
}

static bool is_memory(const struct memory_entry *e)
{
	if (!e->pages || e->base >= PHYSICAL_END || e->pages > (PHYSICAL_END - e->base) / PAGE_4K)
		return false; /* no processor can address it */
	return (e->type > MEMORY_RESERVED && e->type < MEMORY_UNUSABLE) ||
		e->type == MEMORY_ACPI_TABLES || e->type == MEMORY_ACPI_NVS;
}

uint64_t layout_memory(const struct memory_map *map)
{
	const struct memory_entry *e;
	uint64_t bytes = 0;

	for (size_t i = 0; (e = entry_at(map, i)); i++)
		if (is_memory(e))
			bytes += e->pages * PAGE_4K;
	return bytes;
}

/* The end of the run of memory that begins at `at`; `at` itself if no memory begins there. */
static uint64_t run_end(const struct memory_map *map, uint64_t at)
{
	const struct memory_entry *e;
	uint64_t end;

	do {
		end = at;
		for (size_t i = 0; (e = entry_at(map, i)); i++)
			if (is_memory(e) && e->base <= at && end_of(e) > at)
				at = end_of(e);
	} while (at > end);
	return end;
}

static bool reaches(const struct memory_entry *e, uint64_t at)
{
	return is_memory(e) && e->base < at && end_of(e) >= at;
}

/*
 * Returns true if entry i continues a run of memory that began below. Most maps are in order: the
 * entry before it is looked at first, so that 2000 entries take no time.
 */
static bool continues(const struct memory_map *map, size_t i)
{
	const struct memory_entry *e = entry_at(map, i), *other;

	if (i && reaches(entry_at(map, i - 1), e->base))
		return true;
	for (size_t k = 0; (other = entry_at(map, k)); k++)
		if (reaches(other, e->base))
			return true;
	return false;
}

/*
 * Bytes for page tables, besides the arena's 4 KiB pages: 2 MiB pages for all memory, if there are
 * no larger ones, and two tables at either end of each run of memory; at most a quarter of the work
 * memory for the ends.
 */
static uint64_t tables_bytes(const struct machine *m)
{
	uint64_t ends = 0, quarter = m->work.bytes / 4;
	const struct memory_entry *e;

	for (size_t i = 0; (e = entry_at(&m->map, i)); i++)
		if (is_memory(e) && !continues(&m->map, i))
			ends += 4 * PAGE_4K;
	return (m->arena.bytes / 512 + layout_memory(&m->map) / (GIB / PAGE_4K) +
		       (ends < quarter ? ends : quarter) + TABLES_EXTRA) &
		-PAGE_4K;
}

/*
 * Bytes of the code arena. Rows that do not fit are not measured: with little memory, the results
 * need the space more.
 */
static uint64_t code_bytes(uint64_t work)
{
	uint64_t part = work / CODE_PART & -PAGE_2M;

	return part < PAGE_2M ? PAGE_2M : part < CODE_BYTES ? part : CODE_BYTES;
}

/* Divide m->work. Returns false if it is too small. */
static bool layout_divide(const struct machine *m, struct memory_layout *l)
{
	struct span rest = m->work;

	l->code = cut_span(&rest, code_bytes(m->work.bytes), PAGE_2M);
	for (unsigned i = 0; i < LAYOUT_STACKS; i++) {
		cut_span(&rest, PAGE_4K, PAGE_4K);
		l->stack[i] = cut_span(&rest, i ? IST_BYTES : STACK_BYTES, PAGE_4K);
	}
	l->tables = cut_span(&rest, tables_bytes(m), PAGE_4K);
	l->work = rest;
	return rest.bytes > 0;
}

static void map_memory(const struct memory_map *map, struct page_tables *t)
{
	const struct memory_entry *e;

	for (size_t i = 0; (e = entry_at(map, i)); i++)
		if (is_memory(e) && !continues(map, i))
			page_map(t, e->base, run_end(map, e->base) - e->base, RW, PAGE_1G);
}

/*
 * Add the memory that runtime services use: the code of boot and runtime services, writable as
 * well, the devices that the map lists for them, and page 0.
 */
static void layout_runtime(const struct memory_map *map, struct page_tables *t)
{
	const struct memory_entry *e;

	page_map(t, 0, PAGE_4K, RW, PAGE_4K);
	for (size_t i = 0; (e = entry_at(map, i)); i++)
		if (e->type == MEMORY_RUNTIME_CODE || e->type == MEMORY_BOOT_CODE)
			page_map(t, e->base, e->pages * PAGE_4K, RWX, PAGE_2M);
		else if ((e->attributes & MEMORY_RUNTIME) && !is_memory(e))
			page_map(t, e->base, e->pages * PAGE_4K, RW, PAGE_2M);
}

/*
 * The access with which a page may be mapped that a runtime service touches unasked. All physical
 * addresses may be, as in the firmware's own page tables (EDK II maps them all), but not broken
 * memory and our own (the loader's types). Above 4 GiB, addresses that are not memory are uncached.
 * No code is executed in free memory or below 1 MiB: a jump there, above all to 0, has gone astray.
 * ACCESS_NONE: must not be mapped.
 */
static unsigned layout_runtime_access(const struct memory_map *map, uint64_t address)
{
	const struct memory_entry *e;

	for (size_t i = 0; (e = entry_at(map, i)); i++) {
		if (address < e->base || address >= end_of(e))
			continue;
		if (e->type == MEMORY_LOADER_CODE || e->type == MEMORY_LOADER_DATA ||
			e->type == MEMORY_UNUSABLE)
			return ACCESS_NONE;
		if (is_memory(e))
			return e->type != MEMORY_FREE && address >= MIB ? RWX : RW;
	}
	return address < 4 * GIB ? RW : RW | ACCESS_UNCACHED;
}

/*
 * Returns the access to give after the touch, on a processor whose physical addresses end at `end`:
 * ACCESS_NONE also beyond that, and if it tried to execute a page that must not be executed.
 */
static unsigned layout_runtime_touched(const struct memory_map *map, uint64_t address, bool execute,
	uint64_t end)
{
	unsigned access = layout_runtime_access(map, address);

	if (address >= end || (execute && !(access & ACCESS_EXECUTE)))
		return ACCESS_NONE;
	return access;
}

static void map_image(const struct span *image, struct page_tables *t)
{
	struct image_section s;

	page_map(t, image->base, image->bytes, ACCESS_READ, PAGE_4K);
	for (unsigned i = 0; image_section(image, i, &s); i++) {
		unsigned access = ACCESS_READ | (s.writable ? ACCESS_WRITE : 0) |
			(s.executable ? ACCESS_EXECUTE : 0) |
			(strcmp(s.name, ".loops") ? 0 : ACCESS_RING_3);

		page_map(t, s.span.base, s.span.bytes, access, PAGE_4K);
	}
}

static void map_guards(const struct memory_layout *l, struct page_tables *t)
{
	for (unsigned i = 0; i < LAYOUT_STACKS; i++)
		page_map(t, l->stack[i].base - PAGE_4K, PAGE_4K, ACCESS_NONE, PAGE_4K);
}

/*
 * Build the map that is drawn in the header. `serial` is the address of a memory-mapped UART or 0.
 */
static void layout_map(const struct machine *m, const struct memory_layout *l, uint64_t serial,
	struct page_tables *t)
{
	page_map(t, 0, 4 * GIB, RW, PAGE_1G);
	page_map(t, 0, PAGE_2M, RW, PAGE_4K);
	map_memory(&m->map, t);
	if (m->screen.span.bytes)
		page_map(t, m->screen.span.base, m->screen.span.bytes, RW | ACCESS_COMBINING,
			PAGE_2M);
	if (serial)
		page_map(t, serial & -PAGE_4K, PAGE_4K, RW, PAGE_4K);
	page_map(t, 0, PAGE_4K, ACCESS_NONE, PAGE_4K);
	map_image(&m->image, t);
	map_guards(l, t);
	page_map(t, l->code.base, l->code.bytes, RW, PAGE_4K);
}

struct address_space address_space;

/* 1 GiB pages: CPUID 80000001h EDX[26]. */
static bool cpu_gigabyte_pages(void)
{
	return cpu_leaf(&this_cpu, 0x80000001).edx & 1 << 26;
}

const char *address_space_build(const struct machine *m, uint64_t serial)
{
	struct address_space *a = &address_space;
	struct no_execute found;

	a->machine = m;
	a->serial = serial;
	if (!layout_divide(m, &a->layout))
		return "too little memory to work in";
	page_tables_open(&a->tables, (void *)a->layout.tables.base, a->layout.tables.bytes,
		(struct paging_features){
			.levels = read_cr4() & CR4_LA57 ? 5 : 4,
			.gigabyte_pages = cpu_gigabyte_pages(),
			.no_execute = no_execute_enable(&this_cpu, &found), /* it may stay set */
		});
	layout_map(m, &a->layout, serial, &a->tables);
	a->arena.base = m->arena.base;
	a->arena.bytes = m->arena.bytes;
	remappable_open(&a->tables, &a->arena, true);
	for (unsigned i = 0; i < m->nbeside; i++) {
		a->beside[i].base = m->beside[i].span.base;
		a->beside[i].bytes = m->beside[i].span.bytes;
		remappable_open(&a->tables, &a->beside[i], false);
	}
	return a->tables.exhausted ? "the memory map needs more page tables than fit" : NULL;
}

void *work_memory_take(size_t bytes)
{
	struct span *work = &address_space.layout.work;

	bytes = (bytes + 63) & ~(size_t)63;
	if (bytes > work->bytes)
		return NULL;
	work->bytes -= bytes;
	return (void *)(work->base + work->bytes);
}

void address_space_flush(void)
{
	write_cr3((uint64_t)address_space.tables.root);
}

/*
 * Build the runtime services' tables in half of the space that the first tables left, at least 2
 * MiB (TABLES_EXTRA).
 */
void address_space_build_runtime(void)
{
	struct address_space *a = &address_space;
	struct page_tables *first = &a->tables;
	size_t bytes = (first->pool_bytes - first->pool_used) / 2 & -PAGE_4K;

	first->pool_bytes -= bytes;
	page_tables_open(&a->runtime, first->pool + first->pool_bytes, bytes, first->has);
	layout_map(a->machine, &a->layout, a->serial, &a->runtime);
	layout_runtime(&a->machine->map, &a->runtime);
}

/* The first address beyond the physical ones: CPUID 80000008h EAX[7:0]; 2^36 without that leaf. */
static uint64_t cpu_physical_end(void)
{
	uint32_t bits = cpu_leaf(&this_cpu, 0x80000008).eax & 0xff;

	return 1ULL << (bits >= 32 && bits <= 52 ? bits : 36);
}

bool address_space_add_runtime(uint64_t address, bool execute)
{
	struct page_tables *t = &address_space.runtime;
	unsigned access = layout_runtime_touched(&address_space.machine->map, address, execute,
		cpu_physical_end());

	if (access == ACCESS_NONE)
		return false;
	page_map(t, address & -PAGE_4K, PAGE_4K, access, PAGE_4K);
	write_cr3((uint64_t)t->root);
	return !t->exhausted;
}

#define CONFINED_BYTES (64 * PAGE_4K) /* of tables: 4 KiB pages for image and code */

static struct {
	struct page_tables tables;
	struct confined_to {
		struct span span;
		uint64_t page_bytes, device;
	} to;
} confined;

/* Memory for the confined tables: taken once, from the end of the first tables' pool. */
static void *confined_pool(struct page_tables *first)
{
	if (confined.tables.pool)
		return confined.tables.pool;
	if (first->pool_bytes - first->pool_used < 2 * CONFINED_BYTES)
		return NULL;
	first->pool_bytes -= CONFINED_BYTES;
	return first->pool + first->pool_bytes;
}

static void confined_map(const struct confined_to *to, struct page_tables *t)
{
	const struct machine *m = address_space.machine;
	const struct memory_layout *l = &address_space.layout;

	map_image(&m->image, t);
	page_map(t, m->work.base, m->work.bytes, RW, PAGE_2M);
	page_map(t, l->tables.base, l->tables.bytes, ACCESS_READ, PAGE_2M);
	map_guards(l, t);
	page_map(t, l->code.base, l->code.bytes, ACCESS_READ | ACCESS_EXECUTE, PAGE_4K);
	page_map(t, to->span.base, to->span.bytes, RW, to->page_bytes);
	page_map(t, to->device, PAGE_4K, RW | ACCESS_UNCACHED, PAGE_4K);
}

uint64_t address_space_confine(const struct span *span, uint64_t page_bytes, uint64_t device)
{
	const struct confined_to to = { *span, page_bytes, device };
	struct page_tables *first = &address_space.tables, *t = &confined.tables;

	if (!t->pool || memcmp(&confined.to, &to, sizeof to) != 0) {
		void *pool = confined_pool(first);

		if (!pool)
			return 0;
		page_tables_open(t, pool, CONFINED_BYTES, first->has);
		confined_map(&to, t);
		confined.to = to;
	}
	return t->exhausted ? 0 : (uint64_t)t->root;
}
