/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kernel/memory/arena.h"
#include "kernel/cpu/cpu_controls.h"
#include "kernel/cpu/x86.h"
#include "kernel/memory/address_space.h"
#include "kernel/memory/memory_types.h"
#include "lib/jsonl_write.h"
#include "lib/text.h"
#include "engine/room.h"
#include "kernel/firmware/acpi.h"

const char *pat_prepare(struct msr_journal *j)
{
	enum msr_result r = msr_change(j, PAGE_ATTRIBUTES, 0xff00ff00, TYPE_WRITE_COMBINING << 8);

	return r == MSR_CHANGED ? NULL : msr_why(r);
}

static void pat_undo(struct msr_journal *j)
{
	msr_undo(j, PAGE_ATTRIBUTES);
}

#define EFI_WRITE_BACK 8 /* EFI_MEMORY_WB */

static struct {
	const struct machine *machine;
	uint64_t limit;  /* bytes, as configured; 0: none */
	uint64_t typed;  /* bytes at the start of the arena that are not cached as usual */
	bool write_back; /* by the firmware, the MTRRs and the PAT */
} state;

static uint64_t largest_page(const struct remappable *r, uint64_t wanted)
{
	uint64_t end = r->base + r->bytes, gigabyte = (r->base + PAGE_1G - 1) & -PAGE_1G;
	bool whole = gigabyte < end && end - gigabyte >= PAGE_1G;

	if (wanted >= PAGE_1G && whole && address_space.tables.has.gigabyte_pages &&
		(!state.limit || state.limit >= PAGE_1G))
		return PAGE_1G;
	if (!r->tables || (wanted >= PAGE_2M && (!state.limit || state.limit >= PAGE_2M)))
		return PAGE_2M;
	return PAGE_4K;
}

/* The whole pages in it, within the limit. */
static struct arena whole_pages(const struct remappable *r, uint64_t page, uint32_t node)
{
	uint64_t base = (r->base + page - 1) & -page;
	uint64_t bytes = (r->base + r->bytes - base) & -page;

	if (state.limit && bytes > state.limit)
		bytes = (state.limit + page - 1) & -page;
	return (struct arena){ .base = (unsigned char *)base,
		.bytes = bytes,
		.page_bytes = page,
		.write_back = state.write_back,
		.node = node };
}

static void remap_all(uint64_t page)
{
	remap(&address_space.tables, &address_space.arena, page);
	address_space_flush();
	if (state.typed)
		pat_undo(cpu_controls_journal());
	state.typed = 0;
}

static int map_arena(struct room *room, size_t page_bytes, struct arena *out)
{
	const struct remappable *r = &address_space.arena;
	uint64_t page = largest_page(r, page_bytes);

	if (!r->bytes)
		return -1;
	remap_all(page);
	*out = whole_pages(r, page, state.machine->arena_node);
	return 0;
}

static int map_beside(struct room *room, uint32_t node, size_t page_bytes, struct arena *out)
{
	for (unsigned i = 0; i < state.machine->nbeside; i++) {
		const struct remappable *r = &address_space.beside[i];

		if (state.machine->beside[i].node != node || !r->bytes)
			continue;
		uint64_t page = largest_page(r, page_bytes);

		remap(&address_space.tables, r, page);
		address_space_flush();
		*out = whole_pages(r, page, node);
		return 0;
	}
	return -1;
}

/*
 * Change the caching. SDM vol. 3A 12.11.8 and 12.12.4: no line of it may stay in a cache under its
 * old type.
 */
static int cache_as(struct room *room, enum caching caching, size_t bytes, const char **why)
{
	static const unsigned access[] = {
		[CACHE_COMBINING] = ACCESS_COMBINING, [CACHE_NONE] = ACCESS_UNCACHED
	};

	*why = "the arena is too small";
	if (address_space.arena.bytes < bytes)
		return -1;
	remap_all(PAGE_2M);
	*why = NULL;
	if (caching == CACHE_BACK)
		return 0;
	*why = pat_prepare(cpu_controls_journal());
	if (*why)
		return -1;
	state.typed = bytes;
	page_map(&address_space.tables, address_space.arena.base, bytes,
		ACCESS_READ | ACCESS_WRITE | access[caching], PAGE_2M);
	address_space_flush();
	wbinvd();
	return 0;
}

/* Returns true if all of the arena can be write-back, by the firmware's memory map. */
static bool efi_write_back(const struct machine *m)
{
	for (size_t at = 0; at + sizeof(struct memory_entry) <= m->map.bytes && m->map.entry_bytes;
		at += m->map.entry_bytes) {
		const struct memory_entry *e = (const void *)(m->map.entries + at);
		bool apart = e->base + e->pages * PAGE_4K <= m->arena.base ||
			e->base >= m->arena.base + m->arena.bytes;

		if (!apart && !(e->attributes & EFI_WRITE_BACK))
			return false;
	}
	return true;
}

static unsigned by_mtrrs(void)
{
	return mtrr_type(&boot_memory_types, address_space.arena.base, address_space.arena.bytes);
}

/*
 * Bytes of a block of the arena's node that is larger than the arena, in pages of 2 MiB; 0: none.
 */
static size_t beside_bytes(const struct machine *m)
{
	for (unsigned i = 0; i < m->nbeside; i++) {
		const struct remappable *r = &address_space.beside[i];
		size_t bytes = whole_pages(r, PAGE_2M, m->arena_node).bytes;

		if (m->beside[i].node == m->arena_node && bytes > address_space.arena.bytes)
			return bytes;
	}
	return 0;
}

void arena_open(struct room *room, const struct machine *m, const struct config *c)
{
	state.machine = m;
	state.limit = c->options.max_bytes;
	state.write_back =
		efi_write_back(m) && may_be_back(by_mtrrs()) && may_be_back(boot_memory_types.pat0);
	room->arena = map_arena;
	room->arena_on = map_beside;
	room->cache_as = cache_as;
	room->facts.pages =
		PAGE_4K | PAGE_2M | (largest_page(&address_space.arena, PAGE_1G) & PAGE_1G);
	room->facts.beside_bytes = beside_bytes(m);
}

void arena_leave(void)
{
	if (state.typed)
		remap_all(PAGE_2M);
}

const char *arena_not_cached(void)
{
	static char why[80];

	if (state.write_back || !address_space.arena.bytes)
		return NULL;
	text_format(why, sizeof why, "memory map %s, MTRRs %s, PAT %s",
		efi_write_back(state.machine) ? "write-back" : "other", type_name(by_mtrrs()),
		type_name(boot_memory_types.pat0));
	return why;
}

void arena_describe(struct jsonl *l, unsigned cpus_differ)
{
	jsonl_object(l, "memory_type");
	jsonl_string(l, "efi", efi_write_back(state.machine) ? "write-back" : "other");
	jsonl_string(l, "mtrr", type_name(by_mtrrs()));
	jsonl_string(l, "pat", type_name(boot_memory_types.pat0));
	jsonl_bool(l, "write_back", state.write_back);
	jsonl_integer(l, "cpus_differ", cpus_differ);
	jsonl_object_end(l);
}

#define CONVENTIONAL 7 /* EfiConventionalMemory, UEFI 2.10 table 7.6 */

/*
 * Attributes of UEFI 2.10, 7.2.3. Specific-purpose memory (high-bandwidth or CXL) is free, but
 * reserved for programs that were told to use it: Linux's EFI stub skips it as well
 * (drivers/firmware/efi/libstub/randomalloc.c, get_entry_num_slots).
 */
#define WRITE_BACK       (1ULL << 3)
#define NON_VOLATILE     (1ULL << 15)
#define SPECIFIC_PURPOSE (1ULL << 18)
#define HOT_PLUGGABLE    (1ULL << 20)

#define ARENA_MAX   (4 * GIB) /* its 4 KiB pages need tables */
#define BESIDE_MAX  (16 * GIB)
#define RESERVE     (32 * MIB) /* this and 1/16 of a node's free memory stay the firmware's */
#define RESERVE_DIV 16

/* With less free memory that is write-back than this, memory of any type is taken, and said. */
#define CACHED_LEAST (128 * MIB)

/* The free memory of a node that the MTRRs let be write-back; NODE_UNKNOWN: of all nodes. */
struct source {
	const struct machine *m;
	const struct acpi_table *srat;
	uint32_t node;
	const struct memory_types *types; /* NULL: of any type */
};

static const struct memory_entry *entry_at(const struct memory_map *map, size_t i)
{
	size_t at = i * map->entry_bytes;

	if (map->entry_bytes == 0 || at + sizeof(struct memory_entry) > map->bytes)
		return NULL;
	return (const struct memory_entry *)(map->entries + at);
}

/*
 * Returns true if the entry has pages, whole ones, and does not wrap around the end of all
 * addresses.
 */
static bool is_sane(const struct memory_entry *e)
{
	return e->base % PAGE_4K == 0 && e->pages && e->pages <= (UINT64_MAX - e->base) / PAGE_4K;
}

/* Free memory that can be write-back, or whose attributes the firmware does not list. */
static bool is_free(const struct memory_entry *e)
{
	return e->type == CONVENTIONAL && is_sane(e) &&
		(!e->attributes || (e->attributes & WRITE_BACK)) &&
		!(e->attributes & (NON_VOLATILE | SPECIFIC_PURPOSE | HOT_PLUGGABLE));
}

static struct span overlap(const struct memory_entry *e, const struct node_range *r)
{
	uint64_t base = e->base > r->base ? e->base : r->base;
	uint64_t end = e->base + e->pages * PAGE_4K, range_end = r->base + r->bytes;

	if (end > range_end)
		end = range_end;
	return (struct span){ base, end > base ? end - base : 0 };
}

/* Call see(span, arg) for each part of a free block that may be used. */
static void each_part(const struct source *s, struct span block, void (*see)(struct span, void *),
	void *arg)
{
	uint64_t end = block.base + block.bytes, next;
	struct span part = { block.base, 0 };

	if (!s->types) {
		see(block, arg);
		return;
	}
	for (uint64_t at = block.base; at < end; at = next) {
		next = end;
		if (may_be_back(mtrr_type_at(s->types, at, &next))) {
			part.bytes = next - part.base;
			if (next < end)
				continue;
		}
		if (part.bytes)
			see(part, arg);
		part = (struct span){ next, 0 };
	}
}

/* Call see(span, arg) for each free block of the source. */
static void each_block(const struct source *s, void (*see)(struct span, void *), void *arg)
{
	const struct memory_entry *e;
	struct node_range r;

	for (size_t i = 0; (e = entry_at(&s->m->map, i)); i++) {
		if (!is_free(e))
			continue;
		if (s->node == NODE_UNKNOWN)
			each_part(s, (struct span){ e->base, e->pages * PAGE_4K }, see, arg);
		else
			for (uint32_t at = 0; srat_memory(s->srat, &at, &r);)
				if (r.node == s->node)
					each_part(s, overlap(e, &r), see, arg);
	}
}

static void add_bytes(struct span block, void *sum)
{
	*(uint64_t *)sum += block.bytes;
}

static uint64_t free_bytes(const struct source *s)
{
	uint64_t sum = 0;

	each_block(s, add_bytes, &sum);
	return sum;
}

struct memory_search {
	uint64_t align, max;
	struct span best;
};

static void compare(struct span block, void *arg)
{
	struct memory_search *s = arg;
	uint64_t first = (block.base + s->align - 1) & -s->align;
	uint64_t end = (block.base + block.bytes) & -s->align, most = s->max & -s->align;

	if (end <= first)
		return;
	uint64_t bytes = end - first < most ? end - first : most;

	/* >=: take the highest of equals, away from the memory that devices are given */
	if (bytes && bytes >= s->best.bytes)
		s->best = (struct span){ end - bytes, bytes };
}

/* Take the largest free block aligned to `align`, a multiple of it and at most `max`. */
static bool take_largest(const struct source *s, struct machine *m, uint64_t align, uint64_t max,
	struct span *out)
{
	struct memory_search search = { .align = align, .max = max };

	each_block(s, compare, &search);
	if (!search.best.bytes || !m->memory_claim(m, &search.best))
		return false;
	*out = search.best;
	return true;
}

/*
 * Take whole gigabytes if one is free, else 2 MiB pages, at most half as much after each refusal.
 */
static struct span take(const struct source *s, struct machine *m, uint64_t max)
{
	struct span out = { 0, 0 };

	if (take_largest(s, m, GIB, max, &out))
		return out;
	for (; max >= 2 * MIB; max /= 2)
		if (take_largest(s, m, 2 * MIB, max, &out))
			break;
	return out;
}

/* Bytes that may be taken of `all`; `before` were free at first; at most `most`. */
static uint64_t allowed(uint64_t all, uint64_t before, uint64_t most)
{
	uint64_t reserve = RESERVE + before / RESERVE_DIV;
	uint64_t max = all > reserve ? all - reserve : 0;

	return max < most ? max : most;
}

/* The node with free memory that is nearest to `from`, itself first; the SRAT's first on a tie. */
static uint32_t nearest(const struct source *s, const struct acpi_table *slit, uint32_t from)
{
	struct source other = *s;
	struct node_range r;
	uint32_t best = NODE_UNKNOWN, least = UINT32_MAX;

	for (uint32_t at = 0; srat_memory(s->srat, &at, &r);) {
		uint32_t distance = r.node == from ? 0 : slit_distance(slit, from, r.node);

		other.node = r.node;
		if ((best == NODE_UNKNOWN || distance < least) &&
			allowed(free_bytes(&other), 0, ARENA_MAX) >= 2 * MIB) {
			best = r.node;
			least = distance;
		}
	}
	return best;
}

static bool has_beside(const struct machine *m, uint32_t node)
{
	for (unsigned i = 0; i < m->nbeside; i++)
		if (m->beside[i].node == node)
			return true;
	return false;
}

static void take_beside(struct machine *m, const struct source *s, uint64_t before)
{
	struct span span;

	if (m->nbeside == MACHINE_NODES || has_beside(m, s->node))
		return;
	span = take(s, m, allowed(free_bytes(s), before, BESIDE_MAX));
	if (span.bytes)
		m->beside[m->nbeside++] = (struct node_memory){ s->node, span };
}

static uint64_t clamp(uint64_t value, uint64_t min, uint64_t max)
{
	return value < min ? min : value > max ? max : value;
}

/* Take memory for the kernel itself; anywhere if the source has no block of that size. */
static struct span take_work(const struct source *s, struct machine *m, uint64_t bytes)
{
	struct memory_search search = { .align = 2 * MIB, .max = bytes };
	struct span anywhere = { 0, bytes };

	each_block(s, compare, &search);
	if (search.best.bytes < bytes || !m->memory_claim(m, &search.best)) {
		if (!m->memory_claim(m, &anywhere))
			return (struct span){ 0, 0 };
		search.best = anywhere;
	}
	return (struct span){ search.best.base, bytes };
}

static bool take_works(const struct source *s, struct machine *m)
{
	uint64_t all = free_bytes(s);

	m->work = take_work(s, m, clamp(all / 8, 24 * MIB, 64 * MIB) & -(2 * MIB));
	m->logs = take_work(s, m, clamp(all / 16, 8 * MIB, 32 * MIB) & -(2 * MIB));
	if (!m->work.bytes || !m->logs.bytes)
		return false;
	memset((void *)m->work.base, 0, m->work.bytes);
	return true; /* logs is not cleared: the note of the last start at its end is read first */
}

bool memory_choose(struct machine *m, uint32_t apic_id)
{
	const struct acpi_table *slit = acpi_find(m->rsdp, "SLIT");
	struct source s = { m, acpi_find(m->rsdp, "SRAT"), NODE_UNKNOWN, &boot_memory_types };
	uint32_t node = srat_cpu_node(s.srat, apic_id);
	struct node_range r;

	if (free_bytes(&s) < CACHED_LEAST)
		s.types = NULL;
	if (node != NODE_UNKNOWN)
		s.node = nearest(&s, slit, node);
	m->arena_node = s.node;
	if (!take_works(&s, m))
		return false;
	uint64_t before = free_bytes(&s);

	m->arena = take(&s, m, allowed(before, before, ARENA_MAX));
	if (m->arena.bytes == ARENA_MAX)
		take_beside(m, &s, before); /* for rows that need more than an arena */
	for (uint32_t at = 0; s.node != NODE_UNKNOWN && srat_memory(s.srat, &at, &r);) {
		struct source other = { m, s.srat, r.node, s.types };

		if (r.node != m->arena_node)
			take_beside(m, &other, free_bytes(&other));
	}
	return true;
}
