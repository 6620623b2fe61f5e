/* SPDX-License-Identifier: MIT */
#include "kernel/memory/layout.h"
#include "kernel/memory/image_sections.h"
#include "engine/room.h"

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

static struct span take(struct span *from, uint64_t bytes, uint64_t align)
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

/* Where the run of memory that begins at `at` ends; `at` itself if no memory begins there. */
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
 * Whether entry i continues a run of memory that began below. Most maps are in order: the entry
 * before it is looked at first, so that 2000 of them take no time.
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
 * Besides the arena's 4 KiB pages: 2 MiB pages for all memory, where there are no larger ones, and
 * for each run of memory two tables at either end; at most a quarter of the work memory for those.
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

bool layout_divide(const struct machine *m, struct layout *l)
{
	struct span rest = m->work;

	l->code = take(&rest, CODE_BYTES, PAGE_2M);
	for (unsigned i = 0; i < LAYOUT_STACKS; i++) {
		take(&rest, PAGE_4K, PAGE_4K);
		l->stack[i] = take(&rest, i ? IST_BYTES : STACK_BYTES, PAGE_4K);
	}
	l->tables = take(&rest, tables_bytes(m), PAGE_4K);
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

void layout_runtime(const struct memory_map *map, struct page_tables *t)
{
	const struct memory_entry *e;

	page_map(t, 0, PAGE_4K, RW, PAGE_4K);
	for (size_t i = 0; (e = entry_at(map, i)); i++)
		if (e->type == MEMORY_RUNTIME_CODE || e->type == MEMORY_BOOT_CODE)
			page_map(t, e->base, e->pages * PAGE_4K, RWX, PAGE_2M);
		else if ((e->attributes & MEMORY_RUNTIME) && !is_memory(e))
			page_map(t, e->base, e->pages * PAGE_4K, RW, PAGE_2M);
}

unsigned layout_runtime_access(const struct memory_map *map, uint64_t address)
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

unsigned layout_runtime_touched(const struct memory_map *map, uint64_t address, bool execute,
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
			(s.executable ? ACCESS_EXECUTE : 0);

		page_map(t, s.span.base, s.span.bytes, access, PAGE_4K);
	}
}

static void map_guards(const struct layout *l, struct page_tables *t)
{
	for (unsigned i = 0; i < LAYOUT_STACKS; i++)
		page_map(t, l->stack[i].base - PAGE_4K, PAGE_4K, ACCESS_NONE, PAGE_4K);
}

void layout_map(const struct machine *m, const struct layout *l, uint64_t serial,
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
