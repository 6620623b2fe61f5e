/* SPDX-License-Identifier: MIT */
#include "engine/chain.h"

#include "lib/math.h"

uint64_t chain_index_bytes(uint64_t nodes)
{
	return (nodes * sizeof(uint32_t) + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
}

int chain_layout(struct chain *c, const struct arena *arena, uint64_t nodes, uint64_t stride)
{
	uint64_t index = chain_index_bytes(nodes);

	if (nodes == 0 || nodes > UINT32_MAX || nodes * stride + index > arena->bytes)
		return -1;
	*c = (struct chain){
		.base = arena->base,
		.nodes = nodes,
		.stride = stride,
		.order = (uint32_t *)(arena->base + arena->bytes - index),
	};
	return 0;
}

void chain_order_random(struct chain *c, struct random *random)
{
	uint32_t *order = c->order;

	for (uint64_t k = 0; k < c->nodes; k++)
		order[k] = (uint32_t)k;
	for (uint64_t k = c->nodes; k > 1; k--) {
		uint64_t other = random_below(random, k);
		uint32_t node = order[k - 1];

		order[k - 1] = order[other];
		order[other] = node;
	}
}

void chain_order_pairs(struct chain *c, struct random *random)
{
	struct chain pairs = { .nodes = c->nodes / 2, .order = c->order };
	uint64_t from;

	chain_order_random(&pairs, random);
	for (uint64_t end = pairs.nodes; end; end = from) {
		uint32_t pair[CHAIN_PAIRS], *out;

		from = (end - 1) / CHAIN_PAIRS * CHAIN_PAIRS;
		__builtin_memcpy(pair, c->order + from, (end - from) * sizeof *pair);
		out = c->order + 2 * from;
		for (uint64_t k = 0; k < end - from; k++) {
			out[k] = 2 * pair[k];
			out[end - from + k] = 2 * pair[k] + 1;
		}
	}
}

void chain_order_step(struct chain *c, uint64_t step)
{
	uint64_t node = 0;

	while (math_common_divisor(step, c->nodes) != 1)
		step++;
	step %= c->nodes;
	for (uint64_t k = 0; k < c->nodes; k++) {
		c->order[k] = (uint32_t)node;
		node += step;
		if (node >= c->nodes)
			node -= c->nodes;
	}
}

void chain_order_blocks(struct chain *c, uint64_t nodes, uint64_t step)
{
	for (uint64_t from = 0; from < c->nodes; from += nodes) {
		uint64_t rest = c->nodes - from;
		struct chain block = {
			.nodes = rest < nodes ? rest : nodes,
			.order = c->order + from,
		};

		chain_order_step(&block, step);
		for (uint64_t k = 0; k < block.nodes; k++)
			block.order[k] += (uint32_t)from;
	}
}

static uint64_t link_to(const struct chain *c, enum chain_link kind, uint32_t node)
{
	return kind == CHAIN_POINTER ? (uint64_t)(uintptr_t)(c->base + node * c->stride) : node;
}

void chain_link(struct chain *c, enum chain_link kind)
{
	for (uint64_t k = 0; k < c->nodes; k++) {
		uint32_t next = c->order[k + 1 < c->nodes ? k + 1 : 0];

		*(uint64_t *)(c->base + c->order[k] * c->stride) = link_to(c, kind, next);
	}
}

uint64_t chain_at(const struct chain *c, enum chain_link kind, uint64_t position)
{
	return link_to(c, kind, c->order[position % c->nodes]);
}
