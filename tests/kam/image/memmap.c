/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/memmap.h"

#define PAGE       4096ull
#define BELOW_4G   ((4ull << 30) - 1)
#define WRITE_BACK 8ull
#define RUNTIME    (1ull << 63)
#define SPECIAL    (1ull << 18)

void memmap_add(struct memmap *m, uint64_t base, uint64_t bytes, uint32_t type)
{
	if (m->n == MEMMAP_RANGES)
		fatal("more than %d ranges of memory", MEMMAP_RANGES);
	m->range[m->n++] = (struct memmap_range){ base, bytes / PAGE, type, false };
	m->key++;
}

static uint64_t end_of(const struct memmap_range *r)
{
	return r->base + r->pages * PAGE;
}

/* Inserts a range before the i-th. */
static void insert(struct memmap *m, unsigned i, struct memmap_range r)
{
	if (!r.pages)
		return;
	if (m->n == MEMMAP_RANGES)
		fatal("more than %d ranges of memory", MEMMAP_RANGES);
	memmove(&m->range[i + 1], &m->range[i], (m->n++ - i) * sizeof(r));
	m->range[i] = r;
}

/* Cuts pages at `at` out of the free range i. */
static void cut(struct memmap *m, unsigned i, uint64_t at, uint64_t pages, uint32_t type)
{
	struct memmap_range full_system = m->range[i];
	struct memmap_range before = { full_system.base, (at - full_system.base) / PAGE,
		full_system.type, full_system.special };
	struct memmap_range after = { at + pages * PAGE, 0, full_system.type, full_system.special };

	after.pages = (end_of(&full_system) - after.base) / PAGE;
	m->range[i] = (struct memmap_range){ at, pages, type, full_system.special };
	insert(m, i + 1, after);
	insert(m, i, before);
	m->key++;
}

/* The highest place in a range that does not go beyond `last`; false: too small. */
static bool highest(const struct memmap_range *r, uint64_t pages, uint64_t last, uint64_t *at)
{
	uint64_t end = end_of(r) - 1 < last ? end_of(r) : (last + 1) & -PAGE;

	if (r->type != MEMMAP_FREE || r->special || end < r->base || pages > (end - r->base) / PAGE)
		return false;
	*at = end - pages * PAGE;
	return true;
}

static bool lies_in(const struct memmap_range *r, uint64_t pages, uint64_t at)
{
	return r->type == MEMMAP_FREE && at >= r->base && at < end_of(r) &&
		pages <= (end_of(r) - at) / PAGE;
}

bool memmap_take(struct memmap *m, unsigned how, uint32_t type, uint64_t pages, uint64_t *at)
{
	uint64_t last = how == MEMMAP_BELOW && *at < BELOW_4G ? *at : BELOW_4G;
	unsigned i;

	if (!pages || (how == MEMMAP_AT && *at % PAGE))
		return false;
	for (i = m->n; i-- > 0;) {
		const struct memmap_range *r = &m->range[i];

		if (how == MEMMAP_AT ? !lies_in(r, pages, *at) : !highest(r, pages, last, at))
			continue;
		cut(m, i, *at, pages, type);
		return true;
	}
	return false;
}

void memmap_write(const struct memmap *m, void *out)
{
	unsigned i;

	for (i = 0; i < m->n; i++) {
		const struct memmap_range *r = &m->range[i];
		bool kept = r->type == MEMMAP_RUNTIME_CODE || r->type == MEMMAP_RUNTIME_DATA;
		uint64_t entry[MEMMAP_ENTRY_BYTES / 8] = { r->type, r->base, 0, r->pages,
			WRITE_BACK | (kept ? RUNTIME : 0) | (r->special ? SPECIAL : 0) };

		memcpy((uint8_t *)out + i * sizeof(entry), entry, sizeof(entry));
	}
}
