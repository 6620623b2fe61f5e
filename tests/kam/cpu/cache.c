/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/cpu/fatal.h"

static void *cells(uint64_t n, uint64_t bytes)
{
	void *p = calloc(n, bytes);

	if (!p)
		fatal("no memory for a cache of %lu entries", n);
	return p;
}

void cache_init(struct cache *c, uint64_t entries, uint64_t ways, enum policy policy, uint64_t seed)
{
	if (ways == 0)
		ways = entries;
	if (entries == 0 || entries % ways || (policy == POLICY_PLRU && ways > 64))
		fatal("%lu entries in %lu ways: cannot be", entries, ways);
	c->sets = entries / ways;
	c->ways = ways;
	c->policy = policy;
	c->tags = cells(entries, 8);
	c->used = cells(entries, 8);
	c->ready = cells(entries, 8);
	c->dirty = cells(entries, 1);
	c->recent = cells(c->sets, 8);
	c->time = 0;
	c->random = seed | 1;
}

void cache_free(struct cache *c)
{
	free(c->tags);
	free(c->used);
	free(c->ready);
	free(c->dirty);
	free(c->recent);
}

static uint64_t set_of(const struct cache *c, uint64_t number)
{
	return c->sets & (c->sets - 1) ? number % c->sets : number & (c->sets - 1);
}

uint64_t cache_find(const struct cache *c, uint64_t number)
{
	uint64_t first = set_of(c, number) * c->ways, i;

	for (i = first; i < first + c->ways; i++)
		if (c->tags[i] == number + 1)
			return i;
	return CACHE_MISS;
}

/* Bit-PLRU: a bit per way, set on use; when all are set, only the latest stays so. */
static void touch_plru(struct cache *c, uint64_t where)
{
	uint64_t set = where / c->ways, bit = 1ull << where % c->ways;
	uint64_t all = c->ways == 64 ? ~0ull : (1ull << c->ways) - 1;

	c->recent[set] |= bit;
	if (c->recent[set] == all)
		c->recent[set] = bit;
}

void cache_touch(struct cache *c, uint64_t where)
{
	if (c->policy == POLICY_PLRU)
		touch_plru(c, where);
	else
		c->used[where] = ++c->time;
}

static uint64_t oldest(const struct cache *c, uint64_t first)
{
	uint64_t i, best = first, least = c->used[first];

	for (i = first + 1; i < first + c->ways; i++)
		if (c->used[i] < least) {
			least = c->used[i];
			best = i;
		}
	return best;
}

static uint64_t xorshift(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static uint64_t choose_victim(struct cache *c, uint64_t set)
{
	uint64_t first = set * c->ways, i;

	if (c->policy == POLICY_LRU) /* what is empty was never used */
		return oldest(c, first);
	for (i = first; i < first + c->ways; i++)
		if (!c->tags[i])
			return i;
	if (c->policy == POLICY_RANDOM)
		return first + (xorshift(&c->random) >> 32) % c->ways;
	return first + (uint64_t)__builtin_ctzll(~c->recent[set]);
}

uint64_t cache_insert(struct cache *c, uint64_t number, uint64_t *victim, bool *victim_dirty)
{
	uint64_t where = choose_victim(c, set_of(c, number));

	*victim = c->tags[where] ? c->tags[where] - 1 : CACHE_MISS;
	*victim_dirty = c->dirty[where];
	c->tags[where] = number + 1;
	c->ready[where] = 0;
	c->dirty[where] = 0;
	cache_touch(c, where);
	return where;
}

void cache_invalidate(struct cache *c, uint64_t where)
{
	c->tags[where] = 0;
	c->dirty[where] = 0;
	c->used[where] = 0;
}

void cache_invalidate_all(struct cache *c)
{
	uint64_t where;

	for (where = 0; where < c->sets * c->ways; where++)
		cache_invalidate(c, where);
}
