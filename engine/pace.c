/* SPDX-License-Identifier: MIT */
/*
 * How fast this machine is, roughly: what the planner needs to know what fits into a profile. An
 * emulator may be a hundred times slower than silicon, so nothing here is assumed.
 */
#include "engine/chain.h"
#include "engine/measure.h"
#include "engine/node_bytes.h"
#include "engine/probe_api.h"
#include "lib/stats.h"

/*
 * Of each pace; the median, for one interrupt or one translation by an emulator may spoil a trial.
 */
#define TRIALS 5
#define TRIED  4096 /* loads in a trial */
#define CALLS  8    /* and calls */

#define FAR_MOST  (32 * MIB)
#define FAR_LEAST (2 * MIB)
#define FAR_NS    100e6 /* for building a chain through it */

static double since(struct bench *b, uint64_t start)
{
	return ticks_to_ns(b, (double)(b->room->now(b->room) - start));
}

static double pace_of_bytes(struct bench *b, size_t bytes)
{
	double ns[TRIALS];
	size_t part = bytes / TRIALS;

	for (unsigned i = 0; i < TRIALS; i++) {
		uint64_t start = b->room->now(b->room);

		__builtin_memset(b->arena.base + i * part, 1, part);
		ns[i] = since(b, start) / (double)part;
	}
	return stats_median(ns, TRIALS);
}

/* Each trial goes on where the last one ended: in a large chain its loads are as cold. */
static double pace_of_loads(struct bench *b, const struct chain *chain)
{
	double ns[TRIALS];

	for (uint64_t i = 0; i < TRIALS; i++) {
		const uint64_t args[LOOP_ARGS] = { chain_at(chain, CHAIN_POINTER, i * TRIED),
			TRIED / 16 };
		uint64_t start = b->room->now(b->room);

		call_loop(b, loop_chase, args);
		ns[i] = since(b, start) / TRIED;
	}
	return stats_median(ns, TRIALS);
}

/* Builds a chain of 64-byte nodes and chases it; the node cost is returned. */
static double pace_of_chain(struct bench *b, uint64_t nodes, double *ns_per_load)
{
	struct chain chain;
	uint64_t start = b->room->now(b->room);

	if (chain_layout(&chain, &b->arena, nodes, 64))
		return 0;
	chain_order_random(&chain, &b->random);
	chain_link(&chain, CHAIN_POINTER);
	double built = since(b, start) / (double)nodes;

	*ns_per_load = pace_of_loads(b, &chain);
	return built;
}

static double pace_of_calls(struct bench *b)
{
	const uint64_t args[LOOP_ARGS] = { 0 };
	double ns[TRIALS];
	struct event_counts q;

	for (unsigned i = 0; i < TRIALS; i++) {
		uint64_t start = b->room->now(b->room);

		for (unsigned call = 0; call < CALLS; call++) {
			b->room->timed_begin(b->room, &q);
			call_loop(b, loop_empty, args);
			b->room->timed_end(b->room, &q);
		}
		ns[i] = since(b, start) / CALLS;
	}
	return stats_median(ns, TRIALS);
}

/* So large that no cache holds it, so small that the calibration does not eat the time it plans. */
static uint64_t far_bytes(const struct bench *b, double ns_per_node)
{
	uint64_t far = FAR_MOST;

	while (far > b->arena.bytes / 2 ||
		(far > FAR_LEAST && (double)(far / 64) * ns_per_node > FAR_NS))
		far /= 2;
	return far;
}

void measure_pace(struct bench *b)
{
	double ns_per_node = pace_of_chain(b, 4096, &b->pace.ns_per_near_load);
	uint64_t far = far_bytes(b, ns_per_node);

	b->pace.ns_per_byte = pace_of_bytes(b, far);
	pace_of_chain(b, 128, &b->pace.ns_per_near_load);
	b->pace.ns_per_node = pace_of_chain(b, far / 64, &b->pace.ns_per_far_load);
	b->pace.ns_per_call = pace_of_calls(b);
	measure_node_bytes(b, far);
}
