/* SPDX-License-Identifier: MIT */
#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/fatal.h"

#define ENTRIES_MOST (1u << 30)
#define WAYS_MOST    (1u << 16)
#define HOST_LINE    64 /* bytes; of the computer that simulates */
#define MARKS        8  /* that are compared at once */

static void *cells(uint64_t n, uint64_t bytes)
{
	void *p = calloc(n, bytes);

	if (!p)
		fatal("no memory for a cache of %lu entries", n);
	return p;
}

/* Every ring begins as 0, 1, 2 ... with way 0 the newest. */
static void init_order(struct cache *c)
{
	uint32_t set, way;

	c->order = cells((uint64_t)c->sets * c->ways, sizeof(*c->order));
	c->newest = cells(c->sets, sizeof(*c->newest));
	for (set = 0; set < c->sets; set++)
		for (way = 0; way < c->ways; way++)
			c->order[set * c->ways + way] = (struct cache_order){
				(uint16_t)(way ? way - 1 : c->ways - 1),
				(uint16_t)(way + 1 < c->ways ? way + 1 : 0),
			};
}

void cache_init(struct cache *c, uint64_t entries, uint64_t ways, enum policy policy, uint64_t seed)
{
	if (ways == 0)
		ways = entries;
	if (entries == 0 || entries % ways || entries > ENTRIES_MOST || ways > WAYS_MOST ||
		(policy >= POLICY_PLRU && ways > 64) ||
		(policy == POLICY_TREE && ways & (ways - 1)))
		fatal("a cache of %lu entries cannot have %lu ways", entries, ways);
	memset(c, 0, sizeof(*c));
	c->sets = (uint32_t)(entries / ways);
	c->ways = (uint32_t)ways;
	c->set_mask = c->sets & (c->sets - 1) ? 0 : c->sets - 1;
	c->policy = policy;
	c->mark_ways = (c->ways + MARKS - 1) / MARKS * MARKS;
	c->marks = cells((uint64_t)c->sets * c->mark_ways, sizeof(*c->marks));
	c->lines = cells(entries, sizeof(*c->lines));
	c->random = seed | 1;
	if (policy == POLICY_LRU)
		init_order(c);
	if (policy >= POLICY_PLRU)
		c->recent = cells(c->sets, sizeof(*c->recent));
}

void cache_free(struct cache *c)
{
	free(c->marks);
	free(c->lines);
	free(c->order);
	free(c->newest);
	free(c->recent);
}

void cache_hash(struct cache *c, enum hash hash, uint64_t slices)
{
	c->hash = hash;
	if (hash == HASH_XOR && !c->set_mask)
		fatal("%u sets cannot be chosen by XOR: must be a power of two", c->sets);
	if (hash == HASH_SLICES && (slices == 0 || c->sets % slices))
		fatal("%u sets cannot be %lu slices", c->sets, slices);
	c->set_bits = (uint32_t)__builtin_popcount(c->set_mask);
	c->slices = (uint32_t)slices;
	c->slice_sets = slices ? c->sets / (uint32_t)slices : 0;
}

/* The finaliser of MurmurHash3: every bit of the number changes every bit of the result. */
static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

static uint64_t hashed_set(const struct cache *c, uint64_t number)
{
	uint64_t n = number >> c->set_bits;

	if (c->hash == HASH_XOR)
		return (number ^ n ^ n >> c->set_bits) & c->set_mask;
	return mixed(number) % c->slices * c->slice_sets + number % c->slice_sets;
}

static uint64_t set_of(const struct cache *c, uint64_t number)
{
	if (c->hash != HASH_NONE)
		return hashed_set(c, number);
	return c->set_mask ? number & c->set_mask : number % c->sets;
}

/* Fibonacci hashing. */
static uint16_t mark_of(uint64_t number)
{
	return (uint16_t)(number * 0x9e3779b97f4a7c15ull >> 48 | 1);
}

/* Two bits for each of eight marks that are equal to all of `wanted`. */
static unsigned equal_marks(const uint16_t *marks, __m128i wanted)
{
	__m128i some = _mm_loadu_si128((const __m128i *)marks);

	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi16(some, wanted));
}

uint64_t cache_find(const struct cache *c, uint64_t number)
{
	__m128i wanted = _mm_set1_epi16((short)mark_of(number));
	const struct cache_line *lines;
	const uint16_t *marks;
	uint64_t tag = number + 1;
	uint64_t set, i;
	unsigned equal;

	if (c->last_tag == tag)
		return c->last;
	set = set_of(c, number);
	lines = c->lines + set * c->ways;
	marks = c->marks + set * c->mark_ways;
	for (i = 0; i < c->mark_ways; i += MARKS)
		for (equal = equal_marks(marks + i, wanted); equal; equal &= equal - 1) {
			uint64_t way = i + (unsigned)__builtin_ctz(equal) / 2;

			if (lines[way].tag == tag)
				return set * c->ways + way;
		}
	return CACHE_MISS;
}

void cache_warm(const struct cache *c, uint64_t number)
{
	uint64_t set = set_of(c, number), first = set * c->ways, i;

	__builtin_prefetch(&c->marks[set * c->mark_ways]);
	for (i = first; i < first + c->ways; i += HOST_LINE / sizeof(*c->lines))
		__builtin_prefetch(&c->lines[i]);
	if (c->policy == POLICY_LRU) {
		__builtin_prefetch(&c->order[first]);
		__builtin_prefetch(&c->newest[set]);
	}
}

/* Takes a way out of its ring. */
static void unlink_way(struct cache_order *order, uint16_t way)
{
	order[order[way].newer].older = order[way].older;
	order[order[way].older].newer = order[way].newer;
}

/* Puts a way between the oldest and the newest. */
static void link_way(struct cache_order *order, uint16_t way, uint16_t newest)
{
	uint16_t oldest = order[newest].newer;

	order[way] = (struct cache_order){ oldest, newest };
	order[oldest].older = way;
	order[newest].newer = way;
}

/* The oldest becomes the newest by turning the ring; any other way is moved between the two. */
static void touch_lru(struct cache *c, uint32_t set, uint16_t way)
{
	struct cache_order *order = c->order + (uint64_t)set * c->ways;
	uint16_t newest = c->newest[set];

	if (way == newest)
		return;
	if (way != order[newest].newer) {
		unlink_way(order, way);
		link_way(order, way, newest);
	}
	c->newest[set] = way;
}

/* Bit-PLRU: a bit per way, set on use; when all are set, only the latest stays so. */
static void touch_plru(struct cache *c, uint32_t set, uint32_t way)
{
	uint64_t all = c->ways == 64 ? ~0ull : (1ull << c->ways) - 1;

	c->recent[set] |= 1ull << way;
	if (c->recent[set] == all)
		c->recent[set] = 1ull << way;
}

/* Tree-PLRU: each fork on the way to the root points to the other side. */
static void touch_tree(struct cache *c, uint32_t set, uint32_t way)
{
	uint32_t node;

	for (node = c->ways + way; node > 1; node /= 2)
		if (node % 2)
			c->recent[set] &= ~(1ull << node / 2);
		else
			c->recent[set] |= 1ull << node / 2;
}

static void touch(struct cache *c, uint32_t set, uint32_t way)
{
	if (c->policy == POLICY_LRU)
		touch_lru(c, set, (uint16_t)way);
	else if (c->policy == POLICY_PLRU)
		touch_plru(c, set, way);
	else if (c->policy == POLICY_TREE)
		touch_tree(c, set, way);
}

void cache_touch(struct cache *c, uint64_t entry)
{
	uint32_t set;

	if (c->policy == POLICY_LRU && entry == c->last) /* it is the newest of its set */
		return;
	c->last = entry;
	c->last_tag = c->lines[entry].tag;
	set = (uint32_t)entry / c->ways;
	touch(c, set, (uint32_t)entry - set * c->ways);
}

static uint64_t xorshift(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* The oldest way that is not another core's. */
static uint32_t oldest(const struct cache *c, uint32_t set)
{
	const struct cache_order *order = c->order + (uint64_t)set * c->ways;
	uint32_t way = order[c->newest[set]].newer;

	while (way < c->taken)
		way = order[way].newer;
	return way;
}

static uint32_t choose_victim(struct cache *c, uint32_t set)
{
	const struct cache_line *lines = c->lines + (uint64_t)set * c->ways;
	uint32_t i;

	if (c->policy == POLICY_LRU)
		return oldest(c, set);
	for (i = c->taken; i < c->ways; i++)
		if (!lines[i].tag)
			return i;
	if (c->policy == POLICY_RANDOM)
		return c->taken + (uint32_t)((xorshift(&c->random) >> 32) % (c->ways - c->taken));
	if (c->policy == POLICY_PLRU)
		return (uint32_t)__builtin_ctzll(~c->recent[set]);
	for (i = 1; i < c->ways;)
		i = 2 * i + (c->recent[set] >> i & 1);
	return i - c->ways;
}

uint64_t cache_insert(struct cache *c, uint64_t number, uint64_t *victim, bool *victim_dirty)
{
	uint32_t set = (uint32_t)set_of(c, number), way = choose_victim(c, set);
	uint64_t entry = (uint64_t)set * c->ways + way;
	struct cache_line *line = &c->lines[entry];

	*victim = line->tag ? line->tag - 1 : CACHE_MISS;
	*victim_dirty = line->dirty;
	*line = (struct cache_line){ number + 1, 0, 0 };
	c->marks[(uint64_t)set * c->mark_ways + way] = mark_of(number);
	c->last = entry;
	c->last_tag = number + 1;
	touch(c, set, way);
	return entry;
}

bool cache_use(struct cache *c, uint64_t number)
{
	uint64_t entry = cache_find(c, number), victim;
	bool dirty;

	if (entry == CACHE_MISS)
		cache_insert(c, number, &victim, &dirty);
	else
		cache_touch(c, entry);
	return entry != CACHE_MISS;
}

/* An empty way becomes the oldest. */
static void make_oldest(struct cache *c, uint32_t set, uint16_t way)
{
	struct cache_order *order = c->order + (uint64_t)set * c->ways;
	uint16_t newest = c->newest[set];

	if (way == newest) {
		c->newest[set] = order[way].older;
	} else if (way != order[newest].newer) {
		unlink_way(order, way);
		link_way(order, way, newest);
	}
}

void cache_invalidate(struct cache *c, uint64_t entry)
{
	uint32_t set = (uint32_t)entry / c->ways;

	c->lines[entry].tag = 0;
	c->lines[entry].dirty = 0;
	if (c->policy == POLICY_LRU)
		make_oldest(c, set, (uint16_t)(entry - (uint64_t)set * c->ways));
	if (c->last == entry)
		c->last = (uint64_t)set * c->ways + (c->newest ? c->newest[set] : 0);
	c->last_tag = c->lines[c->last].tag;
}

void cache_take(struct cache *c, uint64_t ways)
{
	uint64_t set, way;

	if (ways >= c->ways || (ways && c->policy >= POLICY_PLRU))
		fatal("a neighbour cannot have %lu of %u ways", ways, c->ways);
	c->taken = (uint32_t)ways;
	for (set = 0; set < c->sets; set++)
		for (way = 0; way < ways; way++)
			c->lines[set * c->ways + way].tag = 0;
	c->last_tag = c->lines[c->last].tag;
}

void cache_invalidate_all(struct cache *c)
{
	uint64_t entries = (uint64_t)c->sets * c->ways;

	memset(c->lines, 0, entries * sizeof(*c->lines));
	c->last_tag = 0;
}
