/* SPDX-License-Identifier: MIT */
#include "kernel/memory/arena.h"

#include "kernel/cpu/cpu_controls.h"
#include "kernel/cpu/x86.h"
#include "kernel/memory/address_space.h"
#include "kernel/memory/memory_type.h"
#include "lib/jsonl_write.h"

#define EFI_WRITE_BACK 8 /* EFI_MEMORY_WB */

static struct {
	const struct machine *machine;
	uint64_t limit;  /* bytes, as configured; 0: none */
	uint64_t typed;  /* bytes at its base that are not cached as usual */
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

/* What lies in it in whole pages, within the limit. */
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

	(void)room;
	if (!r->bytes)
		return -1;
	remap_all(page);
	*out = whole_pages(r, page, state.machine->arena_node);
	return 0;
}

static int map_beside(struct room *room, uint32_t node, size_t page_bytes, struct arena *out)
{
	(void)room;
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

/* SDM vol. 3A 12.11.8 and 12.12.4: no line of it may be left in a cache under its old type. */
static int cache_as(struct room *room, enum caching caching, size_t bytes, const char **why)
{
	static const unsigned access[] = {
		[CACHE_COMBINING] = ACCESS_COMBINING, [CACHE_NONE] = ACCESS_UNCACHED
	};

	(void)room;
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

/* Whether all of the arena can be cached as write-back, by the firmware's memory map. */
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
	return mtrr_type(&this_cpu, address_space.arena.base, address_space.arena.bytes);
}

static bool may_be_back(unsigned type)
{
	return type == TYPE_WRITE_BACK || type == TYPE_UNKNOWN;
}

/* More of the arena's node than the arena, in pages of 2 MiB; 0: there is no more. */
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
		efi_write_back(m) && may_be_back(by_mtrrs()) && may_be_back(pat_type(&this_cpu, 0));
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

void arena_describe(struct jsonl *l)
{
	jsonl_object(l, "memory_type");
	jsonl_string(l, "efi", efi_write_back(state.machine) ? "write-back" : "other");
	jsonl_string(l, "mtrr", type_name(by_mtrrs()));
	jsonl_string(l, "pat", type_name(pat_type(&this_cpu, 0)));
	jsonl_bool(l, "write_back", state.write_back);
	jsonl_object_end(l);
}
