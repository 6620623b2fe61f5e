/* SPDX-License-Identifier: MIT */
#include "engine/chain_pages.h"

#include "engine/env.h"

#define LINE         64
#define LINE_BITS    6 /* lines of a page of 4 KiB */
#define PLACE_BITS   14
#define BEFORE_SHIFT 32 /* whose table entries differ in bits 12 to 16 of their addresses */
#define SHIFTS       16 /* of 512 regions, a power of two */
#define GOLDEN       0x9e3779b97f4a7c15ULL /* 2^64 over the golden ratio */

/*
 * What each bit of a node's number adds, exclusive-or: the line in bits 0 to 5, the page of the
 * group in bits 6 to 9. Found by search; tests/unit/chain_pages_test.c checks what it is for.
 */
static const uint16_t place[PLACE_BITS] = { 0x24b, 0x1e7, 0x163, 0x3de, 0x1b1, 0x2d3, 0x3be, 0x1c6,
	0x2b0, 0x167, 0x15e, 0x125, 0x34e, 0x107 };

/*
 * Which of SHIFTS places each BEFORE_SHIFT regions begin at. In order they would undo an index that
 * is exclusive-or of the address's groups of bits. Found by search; the test has what it is for.
 */
static const unsigned char shifts[SHIFTS] = { 10, 5, 14, 15, 6, 9, 12, 13, 4, 11, 0, 1, 8, 7, 3,
	2 };

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

uint64_t chain_page_offset(const struct chain_pages *p, uint64_t node)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < PLACE_BITS; i++)
		if (node >> i & 1)
			sum ^= place[i];
	uint64_t line = sum % (1 << LINE_BITS), page = sum >> LINE_BITS;
	uint64_t offset = (p->group > 1 ? page * p->page_bytes : 0) + line * LINE;

	if (p->page_bytes > PAGE_4K) {
		uint64_t groups = p->page_bytes / PAGE_4K / CHAIN_GROUP;

		offset += (((node * GOLDEN >> 32) * groups >> 32) * CHAIN_GROUP + page) * PAGE_4K;
	}
	return first_page(p, node) + offset;
}
