/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/translate.h"

enum { SIZE_4K, SIZE_2M, SIZE_1G };

/* As many ways as asked, or all of them where that does not divide the entries. */
static void tlb(struct cache *c, uint64_t entries, uint64_t ways)
{
	cache_init(c, entries, ways && entries % ways == 0 ? ways : 0, POLICY_LRU, 1);
}

void translate_init(struct memory *m, const uint64_t *now)
{
	const struct cpu *cpu = m->cpu;

	tlb(&m->dtlb[SIZE_4K], cpu->dtlb_4k, cpu->dtlb_ways);
	tlb(&m->dtlb[SIZE_2M], cpu->dtlb_2m, cpu->dtlb_ways);
	tlb(&m->dtlb[SIZE_1G], cpu->dtlb_1g, cpu->dtlb_ways);
	tlb(&m->stlb, cpu->stlb, cpu->stlb_ways);
	tlb(&m->stlb_1g, cpu->stlb_1g, 0);
	reservations_init(&m->walkers, cpu->walkers, now);
	m->pages_shift = 12;
}

void translate_free(struct memory *m)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		cache_free(&m->dtlb[i]);
	cache_free(&m->stlb);
	cache_free(&m->stlb_1g);
	reservations_free(&m->walkers);
}

void memory_map_pages(struct memory *m, uint64_t base, uint64_t bytes, uint64_t page_bytes)
{
	m->pages_base = base;
	m->pages_end = base + bytes;
	m->pages_shift = (unsigned)__builtin_ctzll(page_bytes);
}

void memory_flush_tlbs(struct memory *m)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		cache_invalidate_all(&m->dtlb[i]);
	cache_invalidate_all(&m->stlb);
	cache_invalidate_all(&m->stlb_1g);
}

static unsigned shift_of(const struct memory *m, uint64_t address)
{
	if (m->page_shift)
		return m->page_shift(m->page_priv, address);
	return address >= m->pages_base && address < m->pages_end ? m->pages_shift : 12;
}

/* Whether the page was there; if not, it is now. */
static bool tlb_access(struct cache *c, uint64_t page)
{
	uint64_t where = cache_find(c, page), victim;
	bool dirty;

	if (where == CACHE_MISS) {
		cache_insert(c, page, &victim, &dirty);
		return false;
	}
	cache_touch(c, where);
	return true;
}

uint64_t translate(struct memory *m, uint64_t address, uint64_t t)
{
	unsigned shift = shift_of(m, address);
	unsigned size = shift == 12 ? SIZE_4K : shift == 21 ? SIZE_2M : SIZE_1G;
	/* Pages of two sizes share the STLB: their numbers must not be mixed up. */
	uint64_t page = address >> shift, tag = page | (uint64_t)size << 60;

	if (tlb_access(&m->dtlb[size], page))
		return t;
	if (tlb_access(size == SIZE_1G ? &m->stlb_1g : &m->stlb, tag))
		return t + m->cpu->stlb_latency;
	return reserve(&m->walkers, t, m->cpu->walk) + m->cpu->walk;
}
