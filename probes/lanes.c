/* SPDX-License-Identifier: MIT */
#include "probes/lanes.h"

loop_fn *lanes_loop(unsigned lanes)
{
	static loop_fn *const loops[LANES_REGISTERS] = { loop_lanes_1, loop_lanes_2, loop_lanes_3,
		loop_lanes_4, loop_lanes_5, loop_lanes_6, loop_lanes_7, loop_lanes_8, loop_lanes_9,
		loop_lanes_10, loop_lanes_11, loop_lanes_12 };

	return loops[lanes - 1];
}

/* The chain that is in the arena now, if nobody used the arena since. */
struct kept {
	struct chain chain;
	unsigned uses;
	bool valid;
};

static struct kept *kept_in(struct bench *b)
{
	if (!b->shared_chain)
		b->shared_chain = run_alloc(b, sizeof(struct kept));
	return b->shared_chain;
}

struct chain *lanes_chain(struct bench *b, struct job *job, uint64_t bytes, uint64_t stride)
{
	struct kept *k = kept_in(b);
	uint64_t nodes = bytes / stride;

	if (!k)
		return job_skip(job, "no scratch memory"), NULL;
	/* One use is this row's own, counted just before it was prepared. */
	bool same = k->valid && k->uses + 1 == b->arena_uses && k->chain.nodes == nodes &&
		k->chain.stride == stride;

	k->uses = b->arena_uses;
	if (same)
		return &k->chain;
	k->valid = false;
	if (chain_layout(&k->chain, &job->arena, nodes, stride))
		return job_too_large(job, bytes + 4 * nodes), NULL;
	chain_order_random(&k->chain, &b->random);
	if (stride >= CHAIN_LINE)
		chain_draw_lines(&k->chain, &b->random);
	chain_link(&k->chain, CHAIN_POINTER);
	k->valid = true;
	return &k->chain;
}

uint64_t *lanes_list(const struct chain *c, uint64_t from, uint64_t n, uint64_t *out)
{
	for (uint64_t k = 0; k < n; k++)
		*out++ = chain_at(c, CHAIN_POINTER, from + k);
	return out;
}

int lanes_flush(struct bench *b, const uint64_t *list, uint64_t n)
{
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)list, n };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += list[i];
	return call_loop(b, loop_flush, args).value == sum ? 0 : -1;
}
