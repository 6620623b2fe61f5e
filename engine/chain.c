/* SPDX-License-Identifier: MIT */
#include "engine/chain.h"
#include "engine/room.h"
#include "lib/math.h"

#define LINE         64
#define LINE_BITS    6 /* lines of a page of 4 KiB */
#define PAGE_BITS    4 /* pages of a group */
#define PLACE_BITS   14
#define BEFORE_SHIFT 32 /* whose table entries differ in bits 12 to 16 of their addresses */
#define SHIFTS       16 /* of 512 regions, a power of two */

/*
 * The part of the place that each bit of a node's number contributes, by exclusive-or: the line in
 * bits 0 to 5, the page of the group in bits 6 to 9, and the 64 KiB of the first 2 MiB of a larger
 * page in bits 10 to 14. Found by search; tests/unit/engine/chain_test.c checks its purpose.
 */
static const uint16_t place[PLACE_BITS] = { 0x6a5b, 0xde1, 0x2d7e, 0x57d3, 0x719d, 0x4efd, 0x7bb4,
	0x4646, 0x2b77, 0x1eda, 0x2d3c, 0x490, 0x25d2, 0x5e8 };

/*
 * The one of SHIFTS places at which each BEFORE_SHIFT regions begin: also a linear function of the
 * index's bits. Found by the same search.
 */
static const unsigned char shifts[SHIFTS] = { 0, 4, 8, 12, 13, 9, 5, 1, 6, 2, 14, 10, 11, 15, 3,
	7 };

/*
 * Regions in which the same page is used have their entries in the same line of their tables, so
 * that these lines fall into few sets of a cache: each BEFORE_SHIFT regions use other pages.
 */
static uint64_t in_region(const struct chain_pages *p, uint64_t node)
{
	uint64_t region = node % p->regions, slot = p->group * p->page_bytes;
	uint64_t slots = p->lap_bytes / slot;
	uint64_t shift = shifts[region / BEFORE_SHIFT % SHIFTS] * slots / SHIFTS;

	return region * p->region_bytes + node / p->regions * p->lap_bytes + shift % slots * slot;
}

static uint64_t first_page(const struct chain_pages *p, uint64_t node)
{
	return p->regions ? in_region(p, node) : node * p->group * p->page_bytes;
}

/*
 * Bytes from the start of the first page to a node.
 *
 * Which page of the group, and which line of the page, are linear functions of the bits of the
 * node's number, chosen so that 2^b nodes in a row, the first a multiple of 2^b, lie
 * - one in each set of a TLB of 2^b sets, 2 to 1024, that is indexed by the lowest b bits of the
 *   page's number, by these exclusive-or the next b, or, but for 4 sets, by all groups of b bits
 *   exclusive-or: no linear function does that, too;
 * - one in each set of the first, from 16 sets on, where it joins groups of 2 or 4 pages to one
 *   entry;
 * - one in each set of a cache of 2^b sets, 64 to 8192, in contiguous memory.
 * Pages a constant distance apart do not: 9 apart, 1536 of them put 36 into some sets of a TLB of
 * 128 sets that is indexed by 7 bits exclusive-or the next 7, as that of Skylake (Gras and others,
 * Translation Leak-aside Buffer, USENIX Security 2018).
 *
 * In larger pages the page of 4 KiB that is used is such a function, too: a hypervisor may back
 * them with pages of 4 KiB. 2^b nodes in a row lie one in each of 2^b sets, 16 to 512, that are
 * indexed by the lowest b bits of that page's number.
 *
 * Region by region, 4096 or 8192 nodes use all sets of a cache of 128 to 8192 sets alike, and so do
 * the entries of their pages, in tables side by side, those of a cache of 128 to 2048 sets.
 */
static uint64_t chain_page_offset(const struct chain_pages *p, uint64_t node)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < PLACE_BITS; i++)
		if (node >> i & 1)
			sum ^= place[i];
	uint64_t line = sum % (1 << LINE_BITS), small = sum >> LINE_BITS;
	uint64_t page = small % (1 << PAGE_BITS);

	if (p->page_bytes == PAGE_4K)
		small = 0;
	return first_page(p, node) + (p->group > 1 ? page * p->page_bytes : 0) + small * PAGE_4K +
		line * LINE;
}

#define DRAW 0x9e3779b97f4a7c15ULL /* 2^64 / golden ratio: mixes the bits of a group's number */

#define LINKED 0x10000 /* nodes that are linked between two looks at room->stop */

int chain_layout(struct chain *c, const struct arena *arena, uint64_t nodes, uint64_t stride)
{
	if (nodes == 0 || nodes > UINT32_MAX || nodes * stride > arena->bytes)
		return -1;
	*c = (struct chain){ .base = arena->base, .nodes = nodes, .stride = stride };
	return 0;
}

void chain_order_random(struct chain *c, struct random *random)
{
	chain_order_laps(c, c->nodes, random);
	c->order = CHAIN_RANDOM;
}

void chain_order_laps(struct chain *c, uint64_t nodes, struct random *random)
{
	c->order = CHAIN_LAPS;
	c->part = (uint32_t)nodes;
	c->laps = (uint32_t)(c->nodes / nodes);
	c->shuffle = permutation_draw(nodes, random);
}

void chain_order_blocks(struct chain *c, uint64_t nodes, struct random *random)
{
	chain_order_laps(c, nodes, random);
	c->order = CHAIN_BLOCKS;
}

void chain_order_columns(struct chain *c, uint64_t columns, struct random *random)
{
	chain_order_laps(c, c->nodes / columns, random);
	c->order = CHAIN_COLUMNS;
}

void chain_order_apart(struct chain *c, uint64_t group, struct random *random)
{
	chain_order_laps(c, c->nodes / group, random);
	c->order = CHAIN_APART;
	c->salt = random_next(random);
}

/* The number below n that times x is 1 modulo n, by Euclid's algorithm; x and n are coprime. */
static uint64_t inverse_of(uint64_t x, uint64_t n)
{
	int64_t before = 0, now = 1;
	uint64_t a = n, b = x % n;

	while (b > 1) {
		int64_t next = before - (int64_t)(a / b) * now;
		uint64_t rest = a % b;

		before = now;
		now = next;
		a = b;
		b = rest;
	}
	return (uint64_t)(now < 0 ? now + (int64_t)n : now) % n;
}

void chain_order_step(struct chain *c, uint64_t step)
{
	while (math_common_divisor(step, c->nodes) != 1)
		step++;
	c->order = CHAIN_STEP;
	c->part = (uint32_t)(step % c->nodes);
	c->inverse = (uint32_t)inverse_of(step, c->nodes);
}

/* The number whose bits are those of `pass` in the other order; both are below `group`. */
static uint64_t reversed(uint64_t pass, uint64_t group)
{
	uint64_t number = 0;

	for (; group > 1; group /= 2, pass /= 2)
		number = 2 * number + pass % 2;
	return number;
}

/* The draw of a group: the node of its first pass; it is below 256. */
static uint64_t drawn_in(const struct chain *c, uint64_t group)
{
	return (group + c->salt) * DRAW >> 56;
}

/* The permutation within a block; the last block may be shorter than the others. */
static struct permutation within(const struct chain *c, uint32_t block)
{
	uint64_t rest = c->nodes - (uint64_t)block * c->part;

	return permutation_variant(&c->shuffle, rest < c->part ? rest : c->part, block);
}

/* The nodes of a group that are nearest to each other may be of one line: half the passes apart. */
static uint64_t node_at(const struct chain *c, uint32_t position)
{
	if (c->order == CHAIN_RANDOM)
		return permutation_at(&c->shuffle, position);
	if (c->order == CHAIN_STEP)
		return (uint64_t)position * c->part % c->nodes;
	uint32_t lap = position / c->part, at = position % c->part, group;
	struct permutation block;

	switch (c->order) {
	case CHAIN_BLOCKS:
		block = within(c, lap);
		return position - at + permutation_at(&block, at);
	case CHAIN_COLUMNS:
		block = within(c, lap);
		return permutation_at(&block, at) * c->laps + lap;
	case CHAIN_APART:
		group = (uint32_t)permutation_at(&c->shuffle, at);
		lap = (uint32_t)(reversed(lap, c->laps) ^ drawn_in(c, group)) & (c->laps - 1);
		return (uint64_t)group * c->laps + lap;
	default:
		return position - at + permutation_at(&c->shuffle, at);
	}
}

/* The inverse of node_at. */
static uint64_t position_of(const struct chain *c, uint32_t node)
{
	if (c->order == CHAIN_RANDOM)
		return permutation_place(&c->shuffle, node);
	if (c->order == CHAIN_STEP)
		return (uint64_t)node * c->inverse % c->nodes;
	uint32_t at = node % c->part, row, column;
	struct permutation block;

	switch (c->order) {
	case CHAIN_BLOCKS:
		block = within(c, node / c->part);
		return node - at + permutation_place(&block, at);
	case CHAIN_COLUMNS:
		row = node / c->laps, column = node % c->laps;
		block = within(c, column);
		return (uint64_t)column * c->part + permutation_place(&block, row);
	case CHAIN_APART:
		row = node / c->laps, column = node % c->laps;
		column = (uint32_t)((column ^ drawn_in(c, row)) & (c->laps - 1));
		return reversed(column, c->laps) * c->part + permutation_place(&c->shuffle, row);
	default:
		return node - at + permutation_place(&c->shuffle, at);
	}
}

void chain_draw_lines(struct chain *c, struct random *random)
{
	unsigned lines = (unsigned)(c->stride / CHAIN_LINE);
	struct permutation drawn = permutation_draw(CHAIN_DRAWN, random);

	c->line_bits = lines ? (unsigned)__builtin_ctz(lines) : 0;
	for (unsigned i = 0; i < CHAIN_DRAWN; i++)
		c->line[i] = (unsigned char)permutation_at(&drawn, i);
}

/* The node's own drawn line, and as many further as its number's upper bits say, folded. */
static uint64_t drawn_line(const struct chain *c, uint64_t node)
{
	uint64_t line = c->line[node % CHAIN_DRAWN];

	for (uint64_t high = node / CHAIN_DRAWN; high; high >>= c->line_bits)
		line ^= high;
	return line & ((1ULL << c->line_bits) - 1);
}

static uint64_t address_of(const struct chain *c, uint64_t node)
{
	uint64_t base = (uint64_t)(uintptr_t)c->base, at = base + node * c->stride;

	if (c->pages.page_bytes)
		return base + chain_page_offset(&c->pages, node);
	return c->line_bits ? at + drawn_line(c, node) * CHAIN_LINE : at;
}

static uint64_t link_to(const struct chain *c, enum chain_link kind, uint64_t node)
{
	return kind == CHAIN_POINTER ? address_of(c, node) : node;
}

static void link_some(const struct chain *c, enum chain_link kind, uint64_t from, uint64_t to)
{
	for (uint64_t node = from; node < to; node++) {
		uint64_t next = position_of(c, (uint32_t)node) + 1;

		*(uint64_t *)(uintptr_t)address_of(c, node) =
			link_to(c, kind, node_at(c, next < c->nodes ? (uint32_t)next : 0));
	}
}

int chain_link(const struct chain *c, enum chain_link kind, struct room *room)
{
	for (uint64_t node = 0; node < c->nodes; node += LINKED) {
		if (node && room && room->stop && room->stop(room))
			return -1;
		link_some(c, kind, node, node + LINKED < c->nodes ? node + LINKED : c->nodes);
	}
	return 0;
}

uint64_t chain_at(const struct chain *c, enum chain_link kind, uint64_t position)
{
	return link_to(c, kind, node_at(c, (uint32_t)(position % c->nodes)));
}
