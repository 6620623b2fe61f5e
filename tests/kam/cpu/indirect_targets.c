/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/cpu/indirect_targets.h"

#define FACTOR 0xd6e8feb86659fd93ull /* from one target to the next: all of a past is its sum */
#define SPREAD 0x9e3779b97f4a7c15ull /* of an address */

void indirect_init(struct indirect_targets *t, uint64_t entries, uint64_t length)
{
	*t = (struct indirect_targets){ .there = entries > 0, .length = length, .oldest = 1 };
	if (entries && (length < 1 || length > TARGETS_PAST))
		fatal("a past of %lu targets: must be 1..%d", length, TARGETS_PAST);
	lru_init(&t->table, entries ? entries : 1);
	for (uint64_t i = 0; i < length; i++)
		t->oldest *= FACTOR;
}

void indirect_free(struct indirect_targets *t)
{
	lru_free(&t->table);
}

static uint64_t spread(uint64_t address)
{
	uint64_t x = address * SPREAD;

	return x ^ x >> 29;
}

bool indirect_said(struct indirect_targets *t, uint64_t address, uint64_t next, uint64_t *said)
{
	uint64_t key = t->past ^ spread(address), *known;

	*said = 0;
	if (!t->there)
		return false;
	known = lru_find(&t->table, key);
	if (known)
		*said = *known;
	*(known ? known : lru_insert(&t->table, key)) = next;
	return known;
}

void indirect_pass(struct indirect_targets *t, uint64_t next)
{
	uint64_t *oldest = &t->passed[t->next];

	if (!t->there)
		return;
	t->past = t->past * FACTOR + spread(next) - spread(*oldest) * t->oldest;
	*oldest = next;
	t->next = (t->next + 1) % t->length;
}
