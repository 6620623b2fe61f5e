/* SPDX-License-Identifier: MIT */
/* Where in its pages a node of a chain lies that has one node a page or a group of pages. */
#ifndef ENGINE_CHAIN_PAGES_H
#define ENGINE_CHAIN_PAGES_H

#include <stdint.h>

#define CHAIN_GROUP 16 /* pages: more than a processor joins to one entry of its TLB */

/* Which pages are used. */
struct chain_pages {
	uint64_t page_bytes; /* 0: none of this */
	unsigned group;      /* pages of which one is used: 1 or CHAIN_GROUP */
	/*
	 * Nodes 0, regions, 2 regions ... lie in the first region, nodes 1, regions + 1 ... in the
	 * second one, and so on, lap_bytes apart, or a little further on. 0: node k lies in group
	 * k.
	 */
	uint64_t regions, region_bytes, lap_bytes;
};

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
uint64_t chain_page_offset(const struct chain_pages *, uint64_t node);

#endif
