/* SPDX-License-Identifier: MIT */
#include "probes/tlb_chains.h"

#define CONTROL_BYTES (64 * KIB) /* of the control, visited at a time */

const char *const tlb_variants[TLB_VARIANTS] = {
	[TLB_COST] = "cost", [TLB_COLD] = "cold", [TLB_SPREAD] = "spread", [TLB_CONTROL] = "control"
};

uint64_t tlb_region_bytes(uint64_t page_bytes)
{
	return page_bytes < PAGE_2M ? PAGE_2M : PAGE_1G;
}

struct arena tlb_reach(const struct arena *arena)
{
	struct arena all = *arena;

	if (all.reach > all.bytes)
		all.bytes = all.reach;
	return all;
}

uint64_t tlb_most_bytes(const struct bench *b, size_t page_bytes)
{
	uint64_t arena = tlb_reach(&b->arena).bytes, beside = b->room->facts.beside_bytes;

	return page_bytes == PAGE_2M && beside > arena ? beside : arena;
}

static uint64_t stride(const struct translations *t)
{
	return t->group * t->page_bytes;
}

/* Nodes from one region to the next, used or not. */
static uint64_t region_nodes(const struct translations *t)
{
	return tlb_region_bytes(t->page_bytes) / stride(t);
}

uint64_t tlb_cold_pages(const struct translations *t)
{
	return t->regions * region_nodes(t);
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
}

/* From the first node of the spread chain to the end of the last one's pages. */
static uint64_t spread_bytes(const struct translations *t)
{
	return (t->regions ? tlb_cold_pages(t) : t->pages) * stride(t);
}

uint64_t tlb_bytes(const struct bench *b, const struct translations *t)
{
	return spread_bytes(t) + whole_pages(t->pages * b->node_bytes) +
		2 * chain_index_bytes(t->pages);
}

/* Where the pages of the spread chain are. */
static struct chain_pages pages_of(const struct translations *t)
{
	struct chain_pages p = { .page_bytes = t->page_bytes, .group = t->group };

	if (!t->regions)
		return p;
	p.regions = t->regions;
	p.region_bytes = tlb_region_bytes(t->page_bytes);
	p.lap_bytes = region_nodes(t) * t->regions / t->pages * stride(t);
	return p;
}

/*
 * Every entry of the upper table is used for one page, then all others are, before it is needed
 * again: in each lap through the regions, each time in the same order, for another of its pages.
 */
static void order_regions(struct bench *b, struct chain *c, uint64_t regions)
{
	struct chain first = { .nodes = regions, .order = c->order };

	chain_order_random(&first, &b->random);
	for (uint64_t k = regions; k < c->nodes; k++)
		c->order[k] = (uint32_t)(c->order[k - regions] + regions);
}

/*
 * The spread chain visits the pages of one entry of the upper table after the other, at random
 * within it. The control follows it, as many lines as the spread chain uses, closely packed, at
 * random within a few pages at a time.
 */
int tlb_build(struct bench *b, const struct arena *arena, const struct translations *t,
	struct tlb_chains *c)
{
	uint64_t taken = spread_bytes(t), index = chain_index_bytes(t->pages);
	struct arena rest = *arena;

	if (tlb_bytes(b, t) > arena->bytes || chain_layout(&c->spread, arena, t->pages, stride(t)))
		return -1;
	rest.base += taken;
	rest.bytes -= taken + index;
	if (chain_layout(&c->control, &rest, t->pages, b->node_bytes))
		return -1;
	c->spread.pages = pages_of(t);
	chain_draw_lines(&c->control, &b->random);
	if (t->regions)
		order_regions(b, &c->spread, t->regions);
	else
		chain_order_blocks(&c->spread, region_nodes(t), &b->random);
	chain_order_blocks(&c->control, CONTROL_BYTES / b->node_bytes, &b->random);
	chain_link(&c->spread, CHAIN_POINTER);
	chain_link(&c->control, CHAIN_POINTER);
	return 0;
}

uint32_t tlb_cold_regions(const struct bench *b, size_t page)
{
	struct translations t = { .group = page < PAGE_2M ? CHAIN_GROUP : 1,
		.pages = TLB_COLD_PAGES,
		.page_bytes = page };

	for (t.regions = TLB_REGIONS_MOST; t.regions >= TLB_REGIONS_FEWEST; t.regions /= 2)
		if (tlb_bytes(b, &t) <= tlb_most_bytes(b, page))
			return t.regions;
	return 0;
}
