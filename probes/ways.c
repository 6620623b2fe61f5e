/* SPDX-License-Identifier: MIT */
/* Associativity of L1: a chase over n lines that all belong to the same set. */
#include "probes/bench.h"
#include "probes/chain.h"

#define LOADS     (4 * 1024)
#define WAYS_MOST 32

/*
 * Lines 4 KiB apart agree in the low 12 bits of their address, which are the same in virtual and
 * physical addresses and contain the index of every L1 that is read while the TLB translates.
 */
#define APART PAGE_4K

static void refresh(struct bench *b, struct job *job)
{
	struct chain *c = job->priv;

	(void)b;
	job->args[0] = chain_at(c, CHAIN_POINTER, c->place);
	c->place = (c->place + LOADS) % c->nodes;
	job->expect = chain_at(c, CHAIN_POINTER, c->place);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct chain *c = scratch(b, sizeof *c);

	if (!c)
		return job_skip(job, "no scratch memory");
	if (chain_place(c, &job->arena, row->key[0], APART))
		return job_skip(job, "the arena is too small");
	chain_order_random(c, &b->random);
	chain_link(c, CHAIN_POINTER);
	job->kern = kern_chase;
	job->args[1] = LOADS / 16;
	job->empty_args[0] = (uintptr_t)c->base;
	job->refresh = refresh;
	job->priv = c;
	job->ops = LOADS;
	return 0;
}

void probe_ways_plan(struct bench *b, unsigned stage)
{
	if (stage == 0)
		return;
	for (unsigned ways = 1; ways <= WAYS_MOST; ways++) {
		struct row row = row_new("same-set", &unit_ns_load, RANK_MAIN, prepare);

		row.page_bytes = best_page(b);
		row.key[0] = ways;
		row.cost_ns = 12 * LOADS * 4 * b->pace.ns_per_near_load + 20 * b->pace.ns_per_call;
		row_param(&row, "ways", ways);
		row_param(&row, "stride_bytes", APART);
		plan_add(b, &row);
	}
}

/* The last n as fast as one line; a set that is too small makes every load of the walk miss. */
void probe_ways_meaning(struct bench *b)
{
	const struct result *one = NULL;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (r->row->prepare != prepare)
			continue;
		if (r->row->key[0] == 1)
			one = r;
		if (!one || r->median < one->median * 1.25)
			continue;
		say(b, "  %u lines of one set cost %.2f ns a load, %u lines %.2f: L1 seems to have "
		       "%u ways.\n", (unsigned)r->row->key[0] - 1, b->results[i - 1].median,
			(unsigned)r->row->key[0], r->median, (unsigned)r->row->key[0] - 1);
		return;
	}
	if (one)
		say(b, "  No step up to %u lines: not resolved.\n", WAYS_MOST);
}
