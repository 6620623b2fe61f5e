/* SPDX-License-Identifier: MIT */
/* The place of a node within its pages, in a chain with one node a page or a group of pages. */
#ifndef ENGINE_CHAIN_H
#define ENGINE_CHAIN_H

#include <stdint.h>

#include "engine/room.h"
#include "lib/math.h"

#define CHAIN_GROUP 16 /* pages: more than a processor joins to one entry of its TLB */

/* The pages that a chain uses. */
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
 * Cycles of nodes through memory, for pointer chases. A chain is one single cycle through all its
 * nodes; its order is kept in a compact index, so that the node k steps from any position is known
 * without walking: that is how plain C predicts what a chase returns.
 */

#define CHAIN_LINE  64 /* bytes: the shortest line */
#define CHAIN_DRAWN 32 /* nodes whose lines are drawn apart from each other */

struct chain {
	unsigned char *base;
	uint64_t nodes;    /* 1 .. 2^32 - 1 */
	uint64_t stride;   /* bytes from a node to the next one in memory, >= 8 */
	uint32_t *order;   /* order[k]: the node at position k of the cycle */
	uint64_t position; /* where the walk is now, 0 .. nodes - 1 */
	/* The place of a node within its stride; all 0: its start. */
	struct chain_pages pages; /* one node a page: the caller sets it, before chain_link */
	unsigned line_bits;       /* chain_draw_lines: a stride has 2^line_bits lines */
	unsigned char line[CHAIN_DRAWN];
};

/* The contents of a node. */
enum chain_link {
	CHAIN_POINTER, /* the address of the next node */
	CHAIN_INDEX,   /* the number of the next node */
};

/* Bytes that a chain's index takes at the end of an arena. */
uint64_t chain_index_bytes(uint64_t nodes);

/* Bytes of an arena that chain_layout needs: nodes, and the index. */
static inline uint64_t chain_bytes(uint64_t nodes, uint64_t stride)
{
	return nodes * stride + chain_index_bytes(nodes);
}

/*
 * Lay out the nodes at the start of the arena and the index at its end. The caller must then set an
 * order and call chain_link. Returns 0; -1 if the chain does not fit.
 */
int chain_layout(struct chain *, const struct arena *, uint64_t nodes, uint64_t stride);

/*
 * Each node into one of the lines of its stride (a power of two, 64 to 2048 bytes), drawn at
 * random: what is common to all first lines, such as a bank or half of the sets, must not be all
 * that is used. Among nodes whose numbers differ in successive bits from CHAIN_DRAWN on, every
 * line occurs equally often: however many sets a cache has, 64 or more, all get as many nodes. To
 * be called after chain_layout and before chain_link.
 */
void chain_draw_lines(struct chain *, struct random *);
/*
 * A uniformly random single cycle: a Fisher-Yates shuffle of the order of visits, every one of the
 * (n - 1)! cycles equally likely, as with Sattolo's algorithm (1986), which shuffles the links
 * themselves but forgets the positions.
 */
void chain_order_random(struct chain *, struct random *);
/* Node k is followed by node k + step (mod nodes); the step is raised until it is coprime. */
void chain_order_step(struct chain *, uint64_t step);
/* The first `nodes` neighbours at random, then the next so many, each time in another order. */
void chain_order_blocks(struct chain *, uint64_t nodes, struct random *);
/*
 * Groups of `group` neighbours (a power of two that divides the nodes) at random: one node of each,
 * drawn at random, then another one of each in the same order of groups, until all were visited.
 * What comes together with a node is thus used as late as it can be, and its nearest neighbours,
 * which may be of one longer line, half the passes later: where a cache replaces the least recently
 * used line, the curve over sizes is the same as if lines came alone.
 */
void chain_order_apart(struct chain *, uint64_t group, struct random *);

/* Writes the links into the nodes. */
void chain_link(struct chain *, enum chain_link);

/* Address or number (by kind of link) of the node at a position, taken modulo the nodes. */
uint64_t chain_at(const struct chain *, enum chain_link, uint64_t position);

#endif
