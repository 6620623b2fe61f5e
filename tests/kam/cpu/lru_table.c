/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/lru_table.h"

#define NONE UINT32_MAX

void lru_init(struct lru_table *r, uint64_t capacity)
{
	uint32_t buckets = 16;

	if (capacity == 0 || capacity > 1u << 24)
		fatal("a table of %lu entries: must be 1..16Mi", capacity);
	while (buckets < 2 * capacity)
		buckets *= 2;
	r->capacity = (uint32_t)capacity;
	r->used = 0;
	r->mask = buckets - 1;
	r->entries = calloc(capacity + 1, sizeof(*r->entries));
	r->buckets = malloc(buckets * sizeof(*r->buckets));
	if (!r->entries || !r->buckets)
		fatal("no memory for %lu entries", capacity);
	memset(r->buckets, 0xff, buckets * sizeof(*r->buckets));
	r->entries[capacity].newer = r->entries[capacity].older = r->capacity;
}

void lru_free(struct lru_table *r)
{
	free(r->entries);
	free(r->buckets);
}

/* Fibonacci hashing. */
static uint32_t *bucket(struct lru_table *r, uint64_t key)
{
	return &r->buckets[(uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & r->mask];
}

static void unlink_use(struct lru_table *r, uint32_t i)
{
	struct lru_entry *e = &r->entries[i];

	r->entries[e->newer].older = e->older;
	r->entries[e->older].newer = e->newer;
}

static void link_newest(struct lru_table *r, uint32_t i)
{
	struct lru_entry *ends = &r->entries[r->capacity], *e = &r->entries[i];

	e->newer = r->capacity;
	e->older = ends->older;
	r->entries[ends->older].newer = i;
	ends->older = i;
}

static void unlink_bucket(struct lru_table *r, uint32_t i)
{
	uint32_t *p = bucket(r, r->entries[i].key);

	while (*p != i)
		p = &r->entries[*p].next;
	*p = r->entries[i].next;
}

uint64_t *lru_find(struct lru_table *r, uint64_t key)
{
	uint32_t i = r->entries[r->capacity].older;

	if (i != r->capacity && r->entries[i].key == key)
		return &r->entries[i].value;
	for (i = *bucket(r, key); i != NONE; i = r->entries[i].next) {
		if (r->entries[i].key != key)
			continue;
		unlink_use(r, i);
		link_newest(r, i);
		return &r->entries[i].value;
	}
	return NULL;
}

uint64_t *lru_insert(struct lru_table *r, uint64_t key)
{
	uint32_t i, *head = bucket(r, key);

	if (r->used < r->capacity) {
		i = r->used++;
	} else {
		i = r->entries[r->capacity].newer;
		unlink_use(r, i);
		unlink_bucket(r, i);
	}
	r->entries[i].key = key;
	r->entries[i].value = 0;
	r->entries[i].next = *head;
	*head = i;
	link_newest(r, i);
	return &r->entries[i].value;
}
