/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/translate.h"
#include "tests/kam/cpu/fatal.h"

enum { SIZE_4K, SIZE_2M, SIZE_1G };

static const unsigned shifts[SIZES] = { 12, 21, 30 };

/* Marks an entry that holds a group of pages. */
#define GROUP (1ull << 59)

#define HOST_TABLES (1ull << 56) /* where the host's tables lie, and their entries' mark */

/*
 * Set up a TLB with the ways asked for; it is fully associative if they do not divide the entries.
 */
static void tlb(struct cache *c, uint64_t entries, uint64_t ways)
{
	cache_init(c, entries, ways && entries % ways == 0 ? ways : 0, POLICY_LRU, 1);
}

/*
 * Returns the number of entries of the i-th table above the last one that have a cache of their
 * own.
 */
static uint64_t structures(const struct cpu *c, unsigned i)
{
	return i == 0 ? c->walks.pde : i == 1 ? c->walks.pdpte : c->walks.pml4e;
}

void translate_init(struct memory *m, const uint64_t *now)
{
	const struct cpu *cpu = m->cpu;
	unsigned i;

	tlb(&m->dtlb[SIZE_4K], cpu->dtlb_4k, cpu->dtlb_ways);
	tlb(&m->dtlb[SIZE_2M], cpu->dtlb_2m, cpu->dtlb_ways);
	tlb(&m->dtlb[SIZE_1G], cpu->dtlb_1g, cpu->dtlb_ways);
	tlb(&m->stlb, cpu->stlb, cpu->stlb_ways);
	tlb(&m->stlb_2m, cpu->stlb_2m ? cpu->stlb_2m : 1, cpu->stlb_2m ? cpu->stlb_ways : 1);
	tlb(&m->stlb_1g, cpu->stlb_1g, 0);
	tlb(&m->upper, cpu->upper ? cpu->upper : 1, 0);
	for (i = 0; i < STRUCTURES; i++)
		tlb(&m->structures[i], structures(cpu, i) ? structures(cpu, i) : 1, 0);
	tlb(&m->itlb, cpu->itlb.entries ? cpu->itlb.entries : 1, 0);
	for (i = 0; i < SIZES; i++)
		m->first[i] = &m->dtlb[cpu->dtlb_shared ? SIZE_4K : i];
	m->second[SIZE_4K] = &m->stlb;
	m->second[SIZE_2M] = cpu->stlb_2m ? &m->stlb_2m : &m->stlb;
	m->second[SIZE_1G] = &m->stlb_1g;
	reservations_init(&m->walkers, cpu->walkers, now);
	m->pages_shift = 12;
	m->group_shift = (unsigned)__builtin_ctzll(cpu->coalesce);
}

void translate_free(struct memory *m)
{
	unsigned i;

	for (i = 0; i < SIZES; i++)
		cache_free(&m->dtlb[i]);
	cache_free(&m->stlb);
	cache_free(&m->stlb_2m);
	cache_free(&m->stlb_1g);
	cache_free(&m->upper);
	for (i = 0; i < STRUCTURES; i++)
		cache_free(&m->structures[i]);
	cache_free(&m->itlb);
	reservations_free(&m->walkers);
}

void memory_map_pages(struct memory *m, uint64_t base, uint64_t bytes, uint64_t page_bytes)
{
	unsigned shift = (unsigned)__builtin_ctzll(page_bytes);

	if (shift != m->pages_shift)
		memory_flush_tlbs(m);
	m->pages_base = base;
	m->pages_end = base + bytes;
	m->pages_shift = shift;
}

void memory_map_parts(struct memory *m, uint64_t base, uint64_t bytes)
{
	m->parts_base = base;
	m->parts_end = base + bytes;
}

static void flush_upper(struct memory *m)
{
	unsigned i;

	cache_invalidate_all(&m->upper);
	for (i = 0; i < STRUCTURES; i++)
		cache_invalidate_all(&m->structures[i]);
}

void memory_flush_tlbs(struct memory *m)
{
	unsigned i;

	for (i = 0; i < SIZES; i++)
		cache_invalidate_all(&m->dtlb[i]);
	cache_invalidate_all(&m->stlb);
	cache_invalidate_all(&m->stlb_2m);
	cache_invalidate_all(&m->stlb_1g);
	flush_upper(m);
	cache_invalidate_all(&m->itlb);
	m->fetched = UINT64_MAX;
	m->sizes_held = 0;
}

static struct mapping mapping_of(const struct memory *m, uint64_t address)
{
	if (m->mapping)
		return m->mapping(m->mapping_priv, address);
	if (address >= m->parts_base && address < m->parts_end)
		return (struct mapping){ address, 21 };
	return (struct mapping){ address,
		address >= m->pages_base && address < m->pages_end ? m->pages_shift : 12 };
}

/* The size of a page, and the number of its frame. */
struct where {
	unsigned size;
	uint64_t page, frame;
};

bool translate_maps(const struct memory *m, uint64_t address)
{
	return mapping_of(m, address).shift != NOT_MAPPED;
}

/*
 * Returns the size of the host's page behind an address of the guest. Regions with large pages are
 * spread evenly over all of them (golden ratio), and not by turns, which a stride could follow.
 */
static unsigned host_size(const struct memory *m, uint64_t address)
{
	uint64_t place = (uint32_t)((address >> shifts[SIZE_2M]) * 0x9e3779b1u);

	return place * 100 >> 32 < m->cpu->nested.large ? SIZE_2M : SIZE_4K;
}

static bool host_has_small(const struct memory *m, uint64_t address)
{
	return m->cpu->nested.tables && host_size(m, address) == SIZE_4K;
}

/* Returns where an address is by the page tables of the system that runs there. */
static struct where locate(const struct memory *m, uint64_t address)
{
	struct mapping to = mapping_of(m, address);

	if (to.shift == NOT_MAPPED)
		fatal("%#lx: accessed by a loop, but not mapped to itself", address);
	unsigned size = to.shift == 12 ? SIZE_4K : to.shift == 21 ? SIZE_2M : SIZE_1G;

	return (struct where){ size, address >> to.shift, to.physical >> to.shift };
}

/*
 * Returns what a TLB entry holds of an address: the smaller of the guest's page and the host's
 * (Intel SDM vol. 3C, "Caching Translation Information": combined mappings; AMD APM vol. 2, 15.25).
 */
static struct where held_of(const struct memory *m, uint64_t address, const struct where *w)
{
	unsigned size = m->cpu->nested.tables ? host_size(m, address) : SIZE_1G;
	unsigned more;

	if (size >= w->size)
		return *w;
	more = shifts[w->size] - shifts[size];
	return (struct where){ size, address >> shifts[size],
		w->frame << more | (address >> shifts[size] & ((1ull << more) - 1)) };
}

/* Pages of several sizes share a table: their numbers must not be mixed up. */
static uint64_t tag_of(unsigned size, uint64_t page)
{
	return page | (uint64_t)size << 60;
}

static uint64_t group_tag(const struct memory *m, uint64_t page)
{
	return page >> m->group_shift | GROUP;
}

/*
 * Returns true if the aligned group of small pages lies in consecutive frames with the same
 * alignment. A host's small pages never do.
 */
static bool contiguous(const struct memory *m, const struct where *w)
{
	uint64_t pages = 1ull << m->group_shift, first = w->page & ~(pages - 1), n;

	if ((w->frame ^ w->page) & (pages - 1) || host_has_small(m, w->page << shifts[SIZE_4K]))
		return false;
	for (n = first; n < first + pages; n++) {
		struct mapping other = mapping_of(m, n << shifts[SIZE_4K]);

		if (other.shift != shifts[SIZE_4K] ||
			other.physical >> shifts[SIZE_4K] != w->frame - w->page + n)
			return false;
	}
	return true;
}

static void __attribute__((noreturn)) stale(const struct where *w, unsigned size, uint64_t frame)
{
	fatal("%#lx: the TLB has a page of %llu KiB in frame %#lx, the tables one of %llu KiB in "
	      "frame %#lx: mapped anew without a flush",
		w->page << shifts[w->size], 1ull << (shifts[size] - 10), frame,
		1ull << (shifts[w->size] - 10), w->frame);
}

/* The entry that holds the page, which must be as the tables say; or CACHE_MISS. */
static uint64_t find(const struct memory *m, const struct cache *c, const struct where *w)
{
	bool grouped = m->group_shift && w->size == SIZE_4K;
	uint64_t at = grouped ? cache_find(c, group_tag(m, w->page)) : CACHE_MISS, frame;

	if (at != CACHE_MISS) {
		frame = c->lines[at].ready + (w->page & ((1ull << m->group_shift) - 1));
	} else {
		at = cache_find(c, tag_of(w->size, w->page));
		if (at == CACHE_MISS)
			return at;
		frame = c->lines[at].ready;
	}
	if (frame != w->frame)
		stale(w, w->size, frame);
	return at;
}

/* Ends the program if an entry of another page size covers the address. */
static void check_sizes(const struct memory *m, uint64_t address, const struct where *w)
{
	unsigned size;

	for (size = 0; size < SIZES; size++) {
		struct where other = { size, address >> shifts[size], 0 };
		uint64_t tag = tag_of(size, other.page), at;

		if (size == w->size || !(m->sizes_held & 1u << size))
			continue;
		if (size == SIZE_4K && m->group_shift &&
			cache_find(m->first[size], group_tag(m, other.page)) != CACHE_MISS)
			stale(w, size, other.page);
		at = cache_find(m->first[size], tag);
		if (at != CACHE_MISS)
			stale(w, size, m->first[size]->lines[at].ready);
		at = cache_find(m->second[size], tag);
		if (at != CACHE_MISS)
			stale(w, size, m->second[size]->lines[at].ready);
	}
}

static void insert(struct memory *m, struct cache *c, const struct where *w)
{
	bool group = m->group_shift && w->size == SIZE_4K && contiguous(m, w), dirty;
	uint64_t offset = group ? w->page & ((1ull << m->group_shift) - 1) : 0, victim, at;

	at = cache_insert(c, group ? group_tag(m, w->page) : tag_of(w->size, w->page), &victim,
		&dirty);
	c->lines[at].ready = w->frame - offset;
	m->sizes_held |= 1u << w->size;
}

/* Returns true if the page was in the TLB; it is there now. */
static bool tlb_access(struct memory *m, struct cache *c, const struct where *w)
{
	uint64_t at = find(m, c, w);

	if (at == CACHE_MISS) {
		insert(m, c, w);
		return false;
	}
	cache_touch(c, at);
	return true;
}

/* Returns true if a paging-structure cache has the entry above the page's own; it has it now. */
static bool upper_held(struct memory *m, const struct where *w)
{
	return !m->cpu->upper || cache_use(&m->upper, tag_of(w->size, w->page >> 9));
}

/* Tables lie where nothing else is, a region for each page size, 8 bytes an entry. */
static uint64_t entry_address(unsigned shift, uint64_t page)
{
	return ((uint64_t)shift << 50) + page * 8;
}

/* Returns the cost of loading an entry at cycle t beyond a hit in L1, which is part of `walk`. */
static uint64_t entry_load(struct memory *m, unsigned shift, uint64_t page, uint64_t t)
{
	return memory_walk_load(m, entry_address(shift, page), t) - t - m->cpu->level[0].latency;
}

/* Get the addresses of the tables' entries, the page's own first; returns their number. */
static unsigned entries_of(const struct memory *m, const struct where *w, uint64_t address,
	uint64_t out[TABLES])
{
	unsigned n;

	if (m->entries)
		return m->entries(m->mapping_priv, address, out);
	for (n = 0; n < TABLES - w->size; n++)
		out[n] = entry_address(shifts[w->size] + 9 * n, w->page >> 9 * n);
	return n;
}

/*
 * Returns true if the cache for the entries `above` the page's own has this one; it has it now.
 * `of`: 0, or HOST_TABLES.
 */
static bool structure_held(struct memory *m, const struct where *w, unsigned above, uint64_t of)
{
	unsigned i = w->size + above - 1;

	return structures(m->cpu, i) && cache_use(&m->structures[i], of | w->page >> 9 * above);
}

static uint64_t read_entry(struct memory *m, uint64_t entry, uint64_t t)
{
	return memory_walk_load(m, entry, t) + m->cpu->walks.read;
}

/* The host's walk for an address of the guest begins at the lowest entry that is held. */
static uint64_t read_host_tables(struct memory *m, uint64_t address, uint64_t t)
{
	unsigned size = host_size(m, address), above = 1;
	struct where w = { size, address >> shifts[size], 0 };

	while (above < TABLES - size && !structure_held(m, &w, above, HOST_TABLES))
		above++;
	while (above--)
		t = read_entry(m,
			HOST_TABLES + entry_address(shifts[size] + 9 * above, w.page >> 9 * above),
			t);
	return t;
}

/*
 * A walk begins at the lowest entry that is held, and reads those below it, one after the other.
 * Under a host the tables lie at addresses of the guest, and so does the page: each is walked for
 * (AMD APM vol. 2, 15.25.5), but for the table that an entry held refers to, by the host's address
 * (Intel SDM vol. 3C, "Information That May Be Cached").
 */
static uint64_t read_tables(struct memory *m, const struct where *w, uint64_t address, uint64_t t)
{
	bool nested = m->cpu->nested.tables, known;
	uint64_t entry[TABLES];
	unsigned n = entries_of(m, w, address, entry), above = 1;

	while (above < n && !structure_held(m, w, above, 0))
		above++;
	for (known = above < n; above--; known = false) {
		if (nested && !known)
			t = read_host_tables(m, entry[above], t);
		t = read_entry(m, entry[above], t);
	}
	return nested ? read_host_tables(m, address, t) : t;
}

static uint64_t walk(struct memory *m, const struct where *w, uint64_t address, uint64_t t)
{
	unsigned shift = shifts[w->size];
	bool held = upper_held(m, w);
	uint64_t start = reservations_find(&m->walkers, t, m->cpu->walk), done = start;

	if (!held) {
		done += m->cpu->walk_upper;
		if (m->cpu->walk_loads)
			done += entry_load(m, shift + 9, w->page >> 9, start);
	}
	if (m->cpu->walk_loads)
		done += entry_load(m, shift, w->page, done);
	if (m->cpu->walks.read)
		done = read_tables(m, w, address, done);
	done += m->cpu->walk;
	reservations_add(&m->walkers, start, done - start);
	return done;
}

uint64_t translate(struct memory *m, uint64_t address, uint64_t t)
{
	struct where w = locate(m, address), held = held_of(m, address, &w);

	if (tlb_access(m, m->first[held.size], &held))
		return t;
	check_sizes(m, address, &held);
	if (tlb_access(m, m->second[held.size], &held))
		return t + m->cpu->stlb_latency;
	return walk(m, &w, address, t);
}

/* Drops an entry, if there is one. */
static void drop(struct cache *c, uint64_t tag)
{
	uint64_t at = cache_find(c, tag);

	if (at != CACHE_MISS)
		cache_invalidate(c, at);
}

/* Drops the pieces of a large page that the host does not back with one. */
static void drop_pieces(struct memory *m, uint64_t address)
{
	uint64_t page = address >> shifts[SIZE_2M] << 9, n;

	for (n = page; n < page + 512; n++) {
		drop(m->first[SIZE_4K], tag_of(SIZE_4K, n));
		drop(m->second[SIZE_4K], tag_of(SIZE_4K, n));
	}
}

void memory_flush_page(struct memory *m, uint64_t address)
{
	unsigned size;

	if (host_has_small(m, address) && mapping_of(m, address).shift > shifts[SIZE_4K])
		drop_pieces(m, address);
	for (size = 0; size < SIZES; size++) {
		uint64_t tag = tag_of(size, address >> shifts[size]);

		drop(m->first[size], tag);
		drop(m->second[size], tag);
	}
	if (m->group_shift) {
		drop(m->first[SIZE_4K], group_tag(m, address >> shifts[SIZE_4K]));
		drop(m->second[SIZE_4K], group_tag(m, address >> shifts[SIZE_4K]));
	}
	drop(&m->itlb, address >> shifts[SIZE_4K]);
	m->fetched = UINT64_MAX;
	flush_upper(m);
}

uint64_t memory_fetch(struct memory *m, uint64_t address)
{
	uint64_t page = address >> shifts[SIZE_4K];

	if (page == m->fetched)
		return 0;
	m->fetched = page;
	return cache_use(&m->itlb, page) ? 0 : m->cpu->itlb.miss;
}
