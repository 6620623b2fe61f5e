/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/tagged_tables.h"

#define TAG_BITS      11
#define COUNTER_MOST  3
#define COUNTER_LEAST (-4)
#define USEFUL_MOST   3

/* Outcomes that each table looks at. */
static const unsigned lengths[TAGGED_TABLES] = { 6, 12, 24, 40, 72, 128 };

void tagged_init(struct tagged_tables *t, uint64_t capacity)
{
	unsigned i;

	memset(t, 0, sizeof(*t));
	t->entries = capacity / TAGGED_TABLES + 1;
	for (i = 0; i < TAGGED_TABLES; i++) {
		t->table[i] = calloc(t->entries, sizeof(**t->table));
		if (!t->table[i])
			fatal("no memory for a table of %lu entries", t->entries);
	}
}

void tagged_free(struct tagged_tables *t)
{
	unsigned i;

	for (i = 0; i < TAGGED_TABLES; i++)
		free(t->table[i]);
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static uint64_t newest(uint64_t outcomes, unsigned n)
{
	return n >= 64 ? outcomes : outcomes & ((1ull << n) - 1);
}

static uint64_t hash(const struct tagged_tables *t, unsigned i, uint64_t address)
{
	uint64_t recent = newest(t->recent, lengths[i]);
	uint64_t old = lengths[i] > 64 ? newest(t->old, lengths[i] - 64) : 0;

	return mix(mix(mix(recent + i) ^ old) ^ address);
}

static struct tagged_entry *entry(struct tagged_tables *t, unsigned i, uint64_t h)
{
	return &t->table[i][(h >> 16) % t->entries];
}

static uint16_t tag(uint64_t h)
{
	return (uint16_t)((h & ((1 << TAG_BITS) - 1)) + 1);
}

static void count(struct tagged_entry *e, bool taken)
{
	if (taken && e->counter < COUNTER_MOST)
		e->counter++;
	else if (!taken && e->counter > COUNTER_LEAST)
		e->counter--;
}

/* After a wrong guess: an entry in a table of a longer past, where one was of no use. */
static void allocate(struct tagged_tables *t, const uint64_t *h, unsigned from, bool taken)
{
	unsigned i;

	for (i = from; i < TAGGED_TABLES; i++) {
		struct tagged_entry *e = entry(t, i, h[i]);

		if (!e->useful) {
			*e = (struct tagged_entry){ tag(h[i]), taken ? 0 : -1, 0 };
			return;
		}
	}
	for (i = from; i < TAGGED_TABLES; i++)
		entry(t, i, h[i])->useful--;
}

/*
 * Returns the prediction of the longest known history; *other: the prediction without it, *at: its
 * table plus one.
 */
static bool longest(struct tagged_tables *t, const uint64_t *h, bool base, unsigned *at,
	bool *other)
{
	bool said = base;
	unsigned i;

	*at = 0;
	*other = base;
	for (i = 0; i < TAGGED_TABLES; i++) {
		const struct tagged_entry *e = entry(t, i, h[i]);

		if (e->tag != tag(h[i]))
			continue;
		*other = said;
		said = e->counter >= 0;
		*at = i + 1;
	}
	return said;
}

bool tagged_direction(struct tagged_tables *t, uint64_t address, bool base, bool taken)
{
	uint64_t h[TAGGED_TABLES];
	unsigned i, at;
	bool said, other;

	for (i = 0; i < TAGGED_TABLES; i++)
		h[i] = hash(t, i, address);
	said = longest(t, h, base, &at, &other);
	if (at) {
		struct tagged_entry *e = entry(t, at - 1, h[at - 1]);

		count(e, taken);
		if (said != other)
			e->useful = (uint8_t)(said == taken ? e->useful + (e->useful < USEFUL_MOST)
							    : e->useful - (e->useful > 0));
	}
	if (said != taken)
		allocate(t, h, at, taken);
	t->old = t->old << 1 | t->recent >> 63;
	t->recent = t->recent << 1 | taken;
	return said;
}
