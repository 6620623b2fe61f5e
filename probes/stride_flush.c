/* SPDX-License-Identifier: MIT */
/*
 * The length of a line, apart from what a prefetcher adds to it: clflush of one address takes its
 * whole line out of every cache, and nothing else. A word farther on is then missing if, and only
 * if, it is in the same line.
 */
#include "probes/stride.h"

#include "engine/chain.h"
#include "probes/lanes.h"

#define NODES      64  /* few: they stay in any L1 or L2 */
#define BLOCK      512 /* bytes from a flushed address to the next, and what all are aligned to */
#define APART_FROM 8   /* surely in the same line: the control */
#define APART_TO   (BLOCK / 2)

/* What a row measures. */
struct offset {
	uint64_t apart; /* bytes from the flushed address to the word that is loaded */
};

struct beside {
	struct chain chain;
	uint64_t list[NODES]; /* the addresses to flush: the starts of the blocks */
};

/* Brings every node in, then flushes the starts of their blocks. */
static void refresh(struct bench *b, struct job *job)
{
	struct beside *s = job->priv;

	if (call_loop(b, job->loop, job->args).value != job->expect ||
		lanes_flush(b, s->list, NODES))
		job->expect = ~job->expect; /* not flushed: the row must not be measured */
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct beside *s = job_alloc(b, job, sizeof *s);

	if (!s)
		return -1;
	if (chain_layout(&s->chain, &job->arena, NODES, BLOCK))
		return job_skip(job, "the arena is too small");
	for (unsigned i = 0; i < NODES; i++)
		s->list[i] = (uintptr_t)s->chain.base + i * BLOCK;
	s->chain.base += row_spec(row, struct offset)->apart;
	chain_order_random(&s->chain, &b->random);
	chain_link(&s->chain, CHAIN_POINTER);
	const uint64_t args[LOOP_ARGS] = { chain_at(&s->chain, CHAIN_POINTER, 0), NODES / 16 };

	job_call(job, loop_chase, 1, args);
	job->expect = args[0];
	job->refresh = refresh;
	job->priv = s;
	job->ops = NODES;
	return 0;
}

void flush_plan(struct bench *b)
{
	for (uint64_t apart = APART_FROM; apart <= APART_TO; apart *= 2) {
		struct row row = row_new(FLUSH_VARIANT, &unit_ns_load, DROP_LATE, prepare);

		row.needs = NEED_CLFLUSH;
		row.page_bytes = common_page(b);
		row_spec(&row, struct offset)->apart = apart;
		row.cost_ns = 20 * (3 * NODES * b->pace.ns_per_far_load + 3 * b->pace.ns_per_call);
		row_param(&row, FLUSH_APART, (double)apart);
		plan_add(b, &row);
	}
}
