/* SPDX-License-Identifier: MIT */
#include "engine/chain.h"

#include "lib/math.h"

#define DRAW 0x9e3779b97f4a7c15ULL /* 2^64 / golden ratio: mixes the bits of a group's number */

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

void chain_order_blocks(struct chain *c, uint64_t nodes, struct random *random)
{
	for (uint64_t from = 0; from < c->nodes; from += nodes) {
		uint64_t rest = c->nodes - from;
		struct chain block = {
			.nodes = rest < nodes ? rest : nodes,
			.order = c->order + from,
		};

		chain_order_random(&block, random);
		for (uint64_t k = 0; k < block.nodes; k++)
			block.order[k] += (uint32_t)from;
	}
}

/* The groups' order is made in place of the first pass, which is therefore written last. */
void chain_order_apart(struct chain *c, uint64_t group, struct random *random)
{
	struct chain groups = { .nodes = c->nodes / group, .order = c->order };
	uint64_t salt = random_next(random);

	chain_order_random(&groups, random);
	for (uint64_t pass = group; pass--;)
		for (uint64_t k = 0; k < groups.nodes; k++) {
			uint64_t g = groups.order[k], drawn = (g + salt) * DRAW >> 56;

			c->order[pass * groups.nodes + k] =
				(uint32_t)(g * group + ((pass ^ drawn) & (group - 1)));
		}
}

void chain_draw_lines(struct chain *c, struct random *random)
{
	unsigned lines = (unsigned)(c->stride / CHAIN_LINE);
	uint32_t order[CHAIN_DRAWN];
	struct chain drawn = { .nodes = CHAIN_DRAWN, .order = order };

	c->line_bits = lines ? (unsigned)__builtin_ctz(lines) : 0;
	chain_order_random(&drawn, random);
	for (unsigned i = 0; i < CHAIN_DRAWN; i++)
		c->line[i] = (unsigned char)order[i];
}

/* The node's own drawn line, and as many further as its number's upper bits say, folded. */
static uint64_t drawn_line(const struct chain *c, uint64_t node)
{
	uint64_t line = c->line[node % CHAIN_DRAWN];

	for (uint64_t high = node / CHAIN_DRAWN; high; high >>= c->line_bits)
		line ^= high;
	return line & ((1ULL << c->line_bits) - 1);
}

static uint64_t address_of(const struct chain *c, uint64_t node)
{
	uint64_t base = (uint64_t)(uintptr_t)c->base, at = base + node * c->stride;

	if (c->pages.page_bytes)
		return base + chain_page_offset(&c->pages, node);
	return c->line_bits ? at + drawn_line(c, node) * CHAIN_LINE : at;
}

static uint64_t link_to(const struct chain *c, enum chain_link kind, uint32_t node)
{
	return kind == CHAIN_POINTER ? address_of(c, node) : node;
}

void chain_link(struct chain *c, enum chain_link kind)
{
	for (uint64_t k = 0; k < c->nodes; k++) {
		uint32_t next = c->order[k + 1 < c->nodes ? k + 1 : 0];

		*(uint64_t *)(uintptr_t)address_of(c, c->order[k]) = link_to(c, kind, next);
	}
}

uint64_t chain_at(const struct chain *c, enum chain_link kind, uint64_t position)
{
	return link_to(c, kind, c->order[position % c->nodes]);
}
