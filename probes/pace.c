/* SPDX-License-Identifier: MIT */
/*
 * How fast this machine is, roughly: what the planner needs to know what fits into a profile. An
 * emulator may be a hundred times slower than silicon, so nothing here is assumed.
 */
#include "probes/chain.h"
#include "probes/measure.h"

#define LOADS  16384
#define PAIRED 0.75

static double since(struct bench *b, uint64_t start)
{
	return ticks_to_ns(b, (double)(b->env->now(b->env) - start));
}

static double pace_of_bytes(struct bench *b, size_t bytes)
{
	uint64_t start = b->env->now(b->env);

	__builtin_memset(b->arena.base, 1, bytes);
	return since(b, start) / (double)bytes;
}

/* Builds a chain of 64-byte nodes and chases it; the node cost is returned. */
static double pace_of_chain(struct bench *b, uint64_t nodes, double *ns_per_load)
{
	struct chain chain;
	uint64_t start = b->env->now(b->env);

	if (chain_place(&chain, &b->arena, nodes, 64))
		return 0;
	chain_order_random(&chain, &b->random);
	chain_link(&chain, CHAIN_POINTER);
	double built = since(b, start) / (double)nodes;
	const uint64_t args[KERN_ARGS] = { chain_at(&chain, CHAIN_POINTER, 0), 4096 / 16 };

	start = b->env->now(b->env);
	gate(b, kern_chase, args);
	*ns_per_load = since(b, start) / 4096;
	return built;
}

/* Ticks of LOADS loads along cold nodes 64 bytes apart, in pairs of neighbours or one by one. */
static double ticks_of_walk(struct bench *b, uint64_t nodes, bool pairs)
{
	struct chain chain;

	if (chain_place(&chain, &b->arena, nodes, 64))
		return 0;
	if (pairs)
		chain_order_pairs(&chain, &b->random);
	else
		chain_order_random(&chain, &b->random);
	chain_link(&chain, CHAIN_POINTER);
	const uint64_t args[KERN_ARGS] = { chain_at(&chain, CHAIN_POINTER, 0), LOADS / 16 };

	return (double)gate(b, kern_chase, args).ticks;
}

/*
 * Does the neighbour of a 64-byte line come with it: a line of 128 bytes, or a prefetcher that
 * fetches pairs? Then the second load of a pair is nearly free, and nodes 64 bytes apart would
 * show a memory that is faster than it is. In far memory an open DRAM row or a shared translation
 * saves a fifth at most.
 */
static uint64_t measure_node_bytes(struct bench *b, uint64_t far)
{
	double alone = ticks_of_walk(b, far / 64, false), paired = ticks_of_walk(b, far / 64, true);

	return paired < PAIRED * alone ? 128 : 64;
}

static double pace_of_calls(struct bench *b)
{
	const uint64_t args[KERN_ARGS] = { 0 };
	uint64_t start = b->env->now(b->env);
	struct quiet q;

	for (unsigned i = 0; i < 16; i++) {
		b->env->quiet_begin(b->env, &q);
		gate(b, kern_empty, args);
		b->env->quiet_end(b->env, &q);
	}
	return since(b, start) / 16;
}

void measure_pace(struct bench *b)
{
	uint64_t far = 32 * MIB;

	while (far > b->arena.bytes / 2)
		far /= 2;
	b->pace.ns_per_byte = pace_of_bytes(b, far);
	pace_of_chain(b, 128, &b->pace.ns_per_near_load);
	b->pace.ns_per_node = pace_of_chain(b, far / 64, &b->pace.ns_per_far_load);
	b->pace.ns_per_call = pace_of_calls(b);
	b->node_bytes = measure_node_bytes(b, far);
}
