/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/memory/paging.h"
#include "engine/room.h"

#define PRESENT    (1ULL << 0)
#define WRITABLE   (1ULL << 1)
#define PWT        (1ULL << 3) /* with PCD the number of a page attribute entry */
#define PCD        (1ULL << 4)
#define ACCESSED   (1ULL << 5) /* set in advance: the walker need not write while we measure */
#define DIRTY      (1ULL << 6)
#define LARGE      (1ULL << 7)
#define NO_EXECUTE (1ULL << 63)
#define ADDRESS    0x000ffffffffff000ULL

#define TABLE (PRESENT | WRITABLE | ACCESSED)

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
		(access & ACCESS_COMBINING ? PWT : 0) | (access & ACCESS_UNCACHED ? PWT | PCD : 0);
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

void page_tables_open(struct page_tables *t, void *pool, size_t pool_bytes,
	struct paging_features has)
{
	memset(t, 0, sizeof *t);
	t->pool = pool;
	t->pool_bytes = pool_bytes;
	t->has = has;
	t->root = take_pages(t, 1);
}

/*
 * Replaces a large page by a table of smaller ones that map the same. No entry here has bit 12 of a
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

/* The table below an entry of a table at `level`, made if it is not there. */
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

/* Copies what is mapped around the memory into its directories. */
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

void remappable_open(struct page_tables *t, struct remappable *r, bool small)
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
