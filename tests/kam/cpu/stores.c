/* SPDX-License-Identifier: MIT */
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/stores.h"

#define WIDE 16 /* bytes: of a vector */

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

void stores_record(struct stores *s, const struct cpu *c, struct memory_use a, uint64_t data,
	uint64_t commit)
{
	uint64_t word;

	s->count++;
	for (word = a.address / 8; word <= (a.address + a.bytes - 1) / 8; word++) {
		uint8_t part = bytes_in(word, a.address, a.bytes);

		s->words[word % STORED_WORDS] =
			(struct stored){ word + 1, a, data, commit, s->count, part };
		if (c->alias)
			s->page[word % PAGE_WORDS] = (struct alike){ word, commit, part };
	}
}

bool stores_alike(const struct stores *s, const struct cpu *c, struct memory_use a, uint64_t t)
{
	uint64_t word;

	if (!c->alias || s->committed <= t) /* every store is in L1 */
		return false;
	for (word = a.address / 8; word <= (a.address + a.bytes - 1) / 8; word++) {
		const struct alike *of = &s->page[word % PAGE_WORDS];

		if (of->commit > t && of->word != word &&
			(of->bytes & bytes_in(word, a.address, a.bytes)))
			return true;
	}
	return false;
}

/* The overlap of a load's words with older stores. */
struct overlap {
	const struct stored *last; /* some of it is in a store; NULL: none */
	bool whole;                /* all of it is, in one and the same */
	uint64_t data, commit;
};

static struct overlap overlap_of(const struct stores *s, struct memory_use a, uint64_t t)
{
	struct overlap o = { NULL, true, t, t };
	uint64_t word;

	for (word = a.address / 8; word <= (a.address + a.bytes - 1) / 8; word++) {
		const struct stored *f = &s->words[word % STORED_WORDS];
		uint8_t wanted = bytes_in(word, a.address, a.bytes);
		bool hit = f->word == word + 1 && f->commit > t && (f->bytes & wanted);

		o.whole &= hit && (f->bytes & wanted) == wanted &&
			(!o.last || o.last->number == f->number);
		if (!hit)
			continue;
		o.last = f;
		o.data = max_u64(o.data, f->data);
		o.commit = max_u64(o.commit, f->commit);
	}
	return o;
}

uint64_t split_cycles(const struct cpu *c, struct memory_use a, uint64_t line, uint64_t page)
{
	uint64_t last = a.address + a.bytes - 1;

	if (a.address >> 12 != last >> 12)
		return page;
	return a.address / c->line != last / c->line ? line : 0;
}

static bool alike(struct memory_use a, struct memory_use b)
{
	return a.place && a.place == b.place && a.address == b.address && a.bytes == b.bytes;
}

/* Tenths of a cycle from a store's data to a load that is whole in it. */
static uint64_t whole_tenths(const struct cpu *c, struct memory_use load, struct memory_use store)
{
	uint64_t tenths = c->forwarding.whole ? c->forwarding.whole : 10 * c->forward;

	if (c->forwarding.renames && alike(load, store))
		return c->forwarding.renamed;
	if (load.address != store.address)
		tenths += c->forwarding.part;
	if (load.bytes >= WIDE || store.bytes >= WIDE)
		tenths += c->forwarding.wide;
	return tenths + split_cycles(c, load, c->forwarding.line, c->forwarding.page);
}

/* The whole cycles of what is left and of these tenths. */
static uint64_t cycles_of(struct stores *s, uint64_t tenths)
{
	uint64_t all = s->tenths + tenths;

	s->tenths = all % 10;
	return all / 10;
}

uint64_t stores_load(struct stores *s, const struct cpu *c, struct memory_use a, uint64_t t,
	uint64_t loaded)
{
	struct overlap o;

	if (s->committed <= t) /* every store is in L1 */
		return loaded;
	o = overlap_of(s, a, t);
	if (!o.last)
		return loaded;
	if (!o.whole && (c->partial || c->forwarding.failed))
		return o.commit + c->partial + cycles_of(s, c->forwarding.failed);
	return o.data + cycles_of(s, whole_tenths(c, a, o.last->access));
}
