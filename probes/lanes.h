/* SPDX-License-Identifier: MIT */
/* Several chases at once: which loop, and the flush that makes every step a miss. */
#ifndef PROBES_LANES_H
#define PROBES_LANES_H

#include "engine/probe_api.h"

#define LANES_REGISTERS 12  /* most chains that loops keep in registers */
#define LANES_GROUP     128 /* most chains in a group of loop_lanes_many */
#define LANES_WORKING   32  /* most chains of the loops with work */

/*
 * Bytes of a region whose lines are flushed before each sample, so that all are in memory: 1024
 * pages of 4 KiB, which most second-level TLBs hold.
 */
#define LANES_REACH (4 * MIB)

/* The loop for 1 .. LANES_REGISTERS chains in registers. */
loop_fn *lanes_loop(unsigned lanes);

/*
 * A random cycle through the first `bytes` of the row's arena, of nodes that share no line nor what
 * comes with it: of node_bytes each uses one line, drawn at random. Rows one after the other share
 * it: building it may take longer than measuring. NULL after job_skip.
 */
struct chain *lanes_chain(struct bench *, struct job *, uint64_t bytes, uint64_t stride);

/*
 * Writes the addresses of the nodes at positions from .. from + n - 1 of the cycle; returns out +
 * n.
 */
uint64_t *lanes_list(const struct chain *, uint64_t from, uint64_t n, uint64_t *out);

/* Flushes the lines of a list out of all caches. 0, or -1 if the loop did not do its work. */
int lanes_flush(struct bench *, const uint64_t *list, uint64_t n);

/*
 * Returns the loads that warm up for a walk in which each line comes again after `bytes` of others:
 * three times what the last cache seems to have. 0: that is more than half of the bytes, or lines
 * cannot be flushed here, and a full walk is needed.
 */
uint64_t lanes_far_loads(struct bench *, uint64_t bytes);

/*
 * Walks so many nodes from the chain's position on by LANES_REGISTERS walkers at once, then finds
 * out if a line survives that: stretches that were walked first against as many that are flushed.
 * Returns 1 if none does: a walk that goes on from the new position is in its steady state: in it
 * everything misses; 0 if some may; -1 after job_skip. The chain holds pointers.
 */
int lanes_walk_far(struct bench *, struct job *, struct chain *, uint64_t loads);

/*
 * Returns the pairs of misses in a sample, if a miss and the next one span this many instructions.
 */
unsigned lanes_pairs(unsigned instructions);
/* Returns the cost of a row of them in ns, without the building of its chain. */
double lanes_pairs_cost(const struct bench *, unsigned pairs, unsigned fillers);

/*
 * Makes ready pairs of misses in LANES_REACH bytes: the loop gets two places half a cycle apart,
 * how many steps each goes, and `more`; before each sample all nodes of both stretches are flushed.
 * It must return the sum of the two nodes where they end. 0, or -1 after job_skip.
 */
int lanes_pairs_ready(struct bench *, struct job *, loop_fn *, unsigned pairs,
	const uint64_t more[2]);

#endif
