/* SPDX-License-Identifier: MIT */
/*
 * The loader's memory map (e820) in the form of a firmware's, with what is in use taken out, and
 * page tables that map all of it: a loader need map no more than this program.
 */
#include <string.h>

#include "door/door.h"

#define PAGE      4096ULL
#define MIB       (1ULL << 20)
#define GIB       (1ULL << 30)
#define ENTRIES   768
#define LOW_END   0x9f000 /* below what a BIOS keeps there */
#define LOW_BYTES (8 * PAGE)

#define E820_COUNT    0x1e8
#define E820          0x2d0
#define E820_BYTES    20
#define E820_MOST     128
#define NODE_E820     1 /* SETUP_E820_EXT */
#define COMMAND_BYTES 4096

/* EFI_MEMORY_TYPE, UEFI 2.10 table 7.6, and types of e820 (ACPI 6.5, table 15.4). */
enum { RESERVED, LOADER_CODE, LOADER_DATA, FREE = 7, UNUSABLE, ACPI_TABLES, ACPI_NVS };
enum { E820_RAM = 1, E820_ACPI = 3, E820_NVS, E820_BAD };

#define WRITE_BACK (1ULL << 3)

struct given given;

static struct memory_entry entries[ENTRIES];
static struct memory_map *map;

static unsigned count(void)
{
	return (unsigned)(map->bytes / sizeof *entries);
}

static void add(uint64_t base, uint64_t end, uint32_t type)
{
	if (base >= end || count() == ENTRIES)
		return;
	entries[count()] = (struct memory_entry){ .type = type,
		.base = base,
		.pages = (end - base) / PAGE,
		.attributes = type == RESERVED ? 0 : WRITE_BACK };
	map->bytes += sizeof *entries;
}

static uint64_t end_of(const struct memory_entry *e)
{
	return e->base + e->pages * PAGE;
}

/* Cut [base, end) out of the free entries, in whole pages. Returns true if some of it was free. */
static bool cut(uint64_t base, uint64_t end)
{
	bool was = false;

	base &= -PAGE;
	end = (end + PAGE - 1) & -PAGE;
	for (unsigned i = 0, n = count(); i < n; i++) {
		struct memory_entry *e = &entries[i];
		uint64_t last = end_of(e);

		if (e->type != FREE || e->base >= end || last <= base)
			continue;
		was = true;
		add(end, last, FREE);
		e->pages = e->base < base ? (base - e->base) / PAGE : 0;
	}
	return was;
}

/* Free memory becomes memory in use, which is mapped, too. */
static void use(uint64_t base, uint64_t bytes, uint32_t type)
{
	if (bytes && cut(base, base + bytes))
		add(base & -PAGE, (base + bytes + PAGE - 1) & -PAGE, type);
}

struct setup_node *node_find(uint32_t type)
{
	uint64_t at = number_at(given.zero_page + 0x250, 8);

	for (unsigned i = 0; at && at < given.mapped && i < 64; i++) {
		struct setup_node *node = (void *)at;

		if (node->type == type)
			return node;
		at = node->next;
	}
	return NULL;
}

/* Call see for each entry of e820. */
static void each_entry(void (*see)(uint64_t base, uint64_t end, uint32_t type))
{
	const struct setup_node *more = node_find(NODE_E820);
	const unsigned char *at = given.zero_page + E820;
	unsigned n = given.zero_page[E820_COUNT];

	for (n = n < E820_MOST ? n : E820_MOST; n; n--, at += E820_BYTES)
		see(number_at(at, 8), number_at(at, 8) + number_at(at + 8, 8),
			(uint32_t)number_at(at + 16, 4));
	if (!more)
		return;
	at = (const unsigned char *)(more + 1);
	for (n = more->bytes / E820_BYTES; n; n--, at += E820_BYTES)
		see(number_at(at, 8), number_at(at, 8) + number_at(at + 8, 8),
			(uint32_t)number_at(at + 16, 4));
}

static void add_memory(uint64_t base, uint64_t end, uint32_t type)
{
	if (type == E820_RAM)
		add((base + PAGE - 1) & -PAGE, (end < given.mapped ? end : given.mapped) & -PAGE,
			FREE);
}

/* An entry of another type takes its place out of overlapping memory. */
static void add_other(uint64_t base, uint64_t end, uint32_t type)
{
	if (type == E820_RAM)
		return;
	cut(base, end);
	add(base & -PAGE, (end + PAGE - 1) & -PAGE,
		type == E820_ACPI          ? ACPI_TABLES
			: type == E820_NVS ? ACPI_NVS
			: type == E820_BAD ? UNUSABLE
					   : RESERVED);
}

static bool claim(struct machine *m, struct span *s)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < count(); i++) {
		const struct memory_entry *e = &entries[i];
		uint64_t bytes = e->pages * PAGE;

		if (e->type != FREE || bytes < s->bytes)
			continue;
		if (!s->base && end_of(e) - s->bytes >= at && e->base >= MIB)
			at = end_of(e) - s->bytes;
		else if (s->base && s->base >= e->base && s->base + s->bytes <= end_of(e))
			at = s->base;
	}
	if (!at || count() > ENTRIES - 2)
		return false;
	s->base = at;
	use(at, s->bytes, LOADER_DATA);
	return true;
}

/* Take memory below 1 MiB, where other processors start, but not page 0. */
static struct span take_low(void)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < count(); i++) {
		uint64_t end = end_of(&entries[i]);

		end = end < LOW_END ? end : LOW_END;
		if (entries[i].type == FREE && end >= entries[i].base + LOW_BYTES &&
			end - LOW_BYTES > at)
			at = end - LOW_BYTES;
	}
	if (!at)
		return (struct span){ 0, 0 };
	use(at, LOW_BYTES, LOADER_CODE);
	return (struct span){ at, LOW_BYTES };
}

static uint64_t exit_boot_services(struct machine *m)
{
	return 0;
}

/* The loader's data and what the way back needs stay as they are. */
static void keep_all(void)
{
	const unsigned char *zero = given.zero_page;
	uint64_t command = number_at(zero + 0x228, 4) | number_at(zero + 0xc8, 4) << 32;
	const struct way_back *way = given.way;

	use((uint64_t)zero, PAGE, LOADER_DATA);
	use(command, command ? COMMAND_BYTES : 0, LOADER_DATA);
	use(given.program.base, given.program.bytes, LOADER_CODE);
	for (uint64_t at = number_at(zero + 0x250, 8); at && at < given.mapped;) {
		const struct setup_node *node = (const void *)at;

		use(at, sizeof *node + node->bytes, LOADER_DATA);
		at = node->next;
	}
	if (!way)
		return;
	use(way->results, way->most, LOADER_DATA);
	for (unsigned i = 0; i < way->nspans && i < WAY_BACK_SPANS; i++)
		use(way->span[i].base, way->span[i].bytes, LOADER_DATA);
}

void memory_open(struct machine *m)
{
	map = &m->map;
	map->entries = (unsigned char *)entries;
	map->entry_bytes = sizeof *entries;
	each_entry(add_memory);
	each_entry(add_other);
	keep_all();
	m->low = take_low();
	m->memory_claim = claim;
	m->exit_boot_services = exit_boot_services;
}

/* --- page tables --- */

#define PRESENT 0x3ULL /* and writable */
#define LARGE   0x83ULL
#define LA57    (1ULL << 12)

static struct {
	uint64_t *next, *end, *root;
	bool gigabytes, five;
} pages;

static uint64_t memory_end;

static void see_end(uint64_t base, uint64_t end, uint32_t type)
{
	if ((type == E820_RAM || type == E820_ACPI || type == E820_NVS) && end > memory_end)
		memory_end = end;
}

/* Returns the table below an entry, made if it is not there; NULL: there is no memory for it. */
static uint64_t *below(uint64_t *entry)
{
	uint64_t *table = (uint64_t *)(*entry & -PAGE);

	if (*entry)
		return table;
	if (pages.next == pages.end)
		return NULL;
	table = pages.next;
	pages.next += 512;
	memset(table, 0, PAGE);
	*entry = (uint64_t)table | PRESENT;
	return table;
}

static bool map_gigabyte(uint64_t at)
{
	uint64_t *table = pages.root;

	if (pages.five)
		table = below(&table[at >> 48 & 511]);
	if (table)
		table = below(&table[at >> 39 & 511]);
	if (!table)
		return false;
	if (pages.gigabytes) {
		table[at >> 30 & 511] = at | LARGE;
		return true;
	}
	table = below(&table[at >> 30 & 511]);
	for (unsigned i = 0; table && i < 512; i++)
		table[i] = (at + 2 * MIB * i) | LARGE;
	return table;
}

static bool has_gigabyte_pages(void)
{
	uint32_t eax = 0x80000000, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	if (eax < 0x80000001)
		return false;
	eax = 0x80000001;
	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return edx & 1 << 26;
}

void pages_open(uint64_t *tables, uint64_t bytes)
{
	uint64_t cr3, cr4;

	__asm__ volatile("mov %%cr3, %0; mov %%cr4, %1" : "=r"(cr3), "=r"(cr4));
	bytes /= 2;
	if (cr3 == (uint64_t)tables) /* started again by itself: these are in use */
		tables += bytes / 8;
	pages.root = tables;
	pages.next = tables + 512;
	pages.end = tables + bytes / 8;
	pages.gigabytes = has_gigabyte_pages();
	pages.five = cr4 & LA57;
	given.mapped = UINT64_MAX; /* for the list of nodes, which the loader has mapped */
	memory_end = 4 * GIB;
	each_entry(see_end);
	memset(tables, 0, PAGE);
	for (given.mapped = 0; given.mapped < memory_end && map_gigabyte(given.mapped);)
		given.mapped += GIB;
	given.root = (uint64_t)tables;
	__asm__ volatile("mov %0, %%cr3" ::"r"(tables) : "memory");
}
