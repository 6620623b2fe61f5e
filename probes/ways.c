/* SPDX-License-Identifier: MIT */
/* Associativity of L1: a chase over n lines that all belong to the same set. */
#include "probes/probe.h"
#include "engine/chain.h"

#define LOADS     (4 * 1024)
#define WAYS_MOST 32

/*
 * Lines 64 KiB apart, in a large page, belong to one set of any L1 whose ways are no larger. Their
 * pages may belong to one set of the TLB, where a hypervisor backs the large page with small ones
 * (seen on an Emerald Rapids VM): same-pages has the same pages and a set for each line, and a step
 * there takes the word from same-set. Then, and in small pages, there is same-index: lines 4 KiB
 * apart, which agree in the bits that are the same in virtual and physical addresses.
 */
#define APART (64 * KIB)

static const struct spacing {
	const char *variant;
	uint64_t stride;
	uint64_t least_page;
} spacings[] = {
	{ "same-set", APART, PAGE_2M },
	{ "same-pages", APART + 64, PAGE_2M },
	{ "same-index", PAGE_4K, PAGE_4K },
};

static void refresh(struct bench *b, struct job *job)
{
	struct chain *c = job->priv;

	(void)b;
	job->args[0] = chain_at(c, CHAIN_POINTER, c->position);
	c->position = (c->position + LOADS) % c->nodes;
	job->expect = chain_at(c, CHAIN_POINTER, c->position);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct chain *c = row_alloc(b, sizeof *c);

	if (!c)
		return job_skip(job, "no scratch memory");
	if (job->arena.page_bytes < spacings[row->key[1]].least_page)
		return job_skip(job, "needs pages of 2 MiB");
	if (chain_layout(c, &job->arena, row->key[0], spacings[row->key[1]].stride))
		return job_skip(job, "the arena is too small");
	chain_order_random(c, &b->random);
	chain_link(c, CHAIN_POINTER);
	job->loop = loop_chase;
	job->args[1] = LOADS / 16;
	job->empty_args[0] = (uintptr_t)c->base;
	job->refresh = refresh;
	job->priv = c;
	job->ops = LOADS;
	return 0;
}

static void add(struct bench *b, unsigned spacing, unsigned ways)
{
	struct row row = row_new(spacings[spacing].variant, &unit_ns_load, RANK_MAIN, prepare);

	row.page_bytes = best_page(b);
	row.key[0] = ways;
	row.key[1] = spacing;
	row.cost_ns = 12 * LOADS * 4 * b->pace.ns_per_near_load + 20 * b->pace.ns_per_call;
	row_param(&row, "ways", ways);
	row_param(&row, "stride_bytes", (double)spacings[spacing].stride);
	plan_add(b, &row);
}

void probe_ways_plan(struct bench *b, unsigned stage)
{
	if (stage == 0)
		return;
	for (unsigned i = 0; i < sizeof spacings / sizeof *spacings; i++)
		for (unsigned ways = 1; ways <= WAYS_MOST; ways++)
			add(b, i, ways);
}

/* The last n of a variant as fast as one line, and one more; NULL: no step. */
static const struct result *step_of(struct bench *b, unsigned spacing)
{
	const struct result *one = NULL;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (r->row->prepare != prepare || r->row->key[1] != spacing)
			continue;
		if (r->row->key[0] == 1)
			one = r;
		else if (one && r->median > one->median * 1.25)
			return r;
	}
	return NULL;
}

void probe_ways_meaning(struct bench *b)
{
	for (unsigned i = 0; i < sizeof spacings / sizeof *spacings; i++) {
		const struct result *r = step_of(b, i);

		if (r)
			say(b, "  %s: %u lines run as fast as one, %u cost %.2f ns a load.\n",
				spacings[i].variant, (unsigned)r->row->key[0] - 1,
				(unsigned)r->row->key[0], r->median);
		else
			say(b, "  %s: no step up to %u lines, or not measured.\n",
				spacings[i].variant, WAYS_MOST);
	}
}
