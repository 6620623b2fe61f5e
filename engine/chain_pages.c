/* SPDX-License-Identifier: MIT */
#include "engine/chain_pages.h"

#include "engine/room.h"

#define LINE         64
#define LINE_BITS    6 /* lines of a page of 4 KiB */
#define PAGE_BITS    4 /* pages of a group */
#define PLACE_BITS   14
#define BEFORE_SHIFT 32 /* whose table entries differ in bits 12 to 16 of their addresses */
#define SHIFTS       16 /* of 512 regions, a power of two */

/*
 * What each bit of a node's number adds, exclusive-or: the line in bits 0 to 5, the page of the
 * group in bits 6 to 9, and in bits 10 to 14 which 64 KiB of the first 2 MiB of a larger page.
 * Found by search; tests/unit/chain_pages_test.c checks what it is for.
 */
static const uint16_t place[PLACE_BITS] = { 0x6a5b, 0xde1, 0x2d7e, 0x57d3, 0x719d, 0x4efd, 0x7bb4,
	0x4646, 0x2b77, 0x1eda, 0x2d3c, 0x490, 0x25d2, 0x5e8 };

/*
 * Which of SHIFTS places each BEFORE_SHIFT regions begin at: a linear function of the bits of its
 * index, too. Found by the same search.
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

uint64_t chain_page_offset(const struct chain_pages *p, uint64_t node)
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
