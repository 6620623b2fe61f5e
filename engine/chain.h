/* SPDX-License-Identifier: MIT */
/*
 * Cycles of nodes through memory, for pointer chases. A chain is one single cycle through all its
 * nodes; its order is kept in a compact index, so that the node k steps from any position is known
 * without walking: that is how plain C predicts what a chase returns.
 */
#ifndef ENGINE_CHAIN_H
#define ENGINE_CHAIN_H

#include <stdint.h>

#include "engine/env.h"
#include "lib/random.h"

struct chain {
	unsigned char *base;
	uint64_t nodes;    /* 1 .. 2^32 - 1 */
	uint64_t stride;   /* bytes from a node to the next one in memory, >= 8 */
	uint32_t *order;   /* order[k]: the node at position k of the cycle */
	uint64_t position; /* where the walk is now, 0 .. nodes - 1 */
};

/* What a node holds. */
enum chain_link {
	CHAIN_POINTER, /* the address of the next node */
	CHAIN_INDEX,   /* the number of the next node */
};

/* Bytes that a chain's index takes at the end of an arena. */
uint64_t chain_index_bytes(uint64_t nodes);

/*
 * Where things lie: the nodes at the start of the arena, the index at its end. An order and then
 * chain_link must follow. 0; -1 if it does not fit.
 */
int chain_layout(struct chain *, const struct arena *, uint64_t nodes, uint64_t stride);

/*
 * A uniformly random single cycle: a Fisher-Yates shuffle of the order of visits, every one of the
 * (n - 1)! cycles equally likely, as with Sattolo's algorithm (1986), which shuffles the links
 * themselves but forgets the positions.
 */
void chain_order_random(struct chain *, struct random *);
/*
 * Pairs of neighbours, 2k and 2k + 1, at random: the first nodes of so many pairs, then their
 * second ones, so that no prefetcher of streams sees a step from one to the other. An even number
 * of nodes.
 */
#define CHAIN_PAIRS 64
void chain_order_pairs(struct chain *, struct random *);
/* Node k is followed by node k + step (mod nodes); the step is raised until it is coprime. */
void chain_order_step(struct chain *, uint64_t step);
/* The same among so many neighbours, then among the next so many. */
void chain_order_blocks(struct chain *, uint64_t nodes, uint64_t step);

/* Writes the links into the nodes. */
void chain_link(struct chain *, enum chain_link);

/* Address or number (by kind of link) of the node at a position, taken modulo the nodes. */
uint64_t chain_at(const struct chain *, enum chain_link, uint64_t position);

#endif
