/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/stores.h"

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The bytes of a word that address..address + bytes - 1 covers, a bit each. */
static uint8_t bytes_in(uint64_t word, uint64_t address, uint64_t bytes)
{
	uint64_t first = word * 8, end = address + bytes;
	uint64_t from = address > first ? address - first : 0;
	uint64_t to = end < first + 8 ? end - first : 8;

	return (uint8_t)((0xffu << from) & (0xffu >> (8 - to)));
}

void stores_record(struct stores *s, const struct cpu *c, uint64_t address, uint64_t bytes,
	uint64_t data, uint64_t commit)
{
	uint64_t word;

	s->count++;
	for (word = address / 8; word <= (address + bytes - 1) / 8; word++) {
		uint8_t part = bytes_in(word, address, bytes);

		s->words[word % STORED_WORDS] =
			(struct stored){ word + 1, data, commit, s->count, part };
		if (c->alias)
			s->page[word % PAGE_WORDS] = (struct alike){ word, commit, part };
	}
}

bool stores_alike(const struct stores *s, const struct cpu *c, uint64_t address, uint64_t bytes,
	uint64_t t)
{
	uint64_t word;

	if (!c->alias || s->committed <= t) /* every store is in L1 */
		return false;
	for (word = address / 8; word <= (address + bytes - 1) / 8; word++) {
		const struct alike *a = &s->page[word % PAGE_WORDS];

		if (a->commit > t && a->word != word && (a->bytes & bytes_in(word, address, bytes)))
			return true;
	}
	return false;
}

/* What the words of a load have to do with stores. */
struct overlap {
	bool any, whole; /* some of it is in a store; all of it, in one and the same */
	uint64_t data, commit;
	uint32_t number;
};

static struct overlap overlap_of(const struct stores *s, uint64_t address, uint64_t bytes,
	uint64_t t)
{
	struct overlap o = { false, true, t, t, 0 };
	uint64_t word;

	for (word = address / 8; word <= (address + bytes - 1) / 8; word++) {
		const struct stored *f = &s->words[word % STORED_WORDS];
		uint8_t wanted = bytes_in(word, address, bytes);
		bool hit = f->word == word + 1 && f->commit > t && (f->bytes & wanted);

		o.whole &= hit && (f->bytes & wanted) == wanted &&
			(!o.number || o.number == f->number);
		if (!hit)
			continue;
		o.any = true;
		o.number = f->number;
		o.data = max_u64(o.data, f->data);
		o.commit = max_u64(o.commit, f->commit);
	}
	return o;
}

uint64_t stores_load(const struct stores *s, const struct cpu *c, uint64_t address, uint64_t bytes,
	uint64_t t, uint64_t loaded)
{
	struct overlap o;

	if (s->committed <= t) /* every store is in L1 */
		return loaded;
	o = overlap_of(s, address, bytes, t);
	if (o.any && !o.whole && c->partial)
		return o.commit + c->partial;
	return o.any ? o.data + c->forward : loaded;
}
