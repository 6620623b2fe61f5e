/* SPDX-License-Identifier: MIT */
#include "engine/prefetchers.h"

#include "engine/chain.h"
#include "lib/stats.h"

#define NODE   64
#define BYTES  (32 * MIB) /* or half of the arena, where that is less */
#define LOADS  (64 * 1024)
#define TIMES  7
#define EFFECT 1.1 /* less than that and they are still on */

/* ns per load of a chase from line to line in order, which every prefetcher foresees. */
static double sequential_ns(struct bench *b, struct chain *c)
{
	double ticks[TIMES];
	struct event_counts q;

	for (unsigned i = 0; i < TIMES; i++) {
		const uint64_t args[LOOP_ARGS] = { chain_at(c, CHAIN_POINTER, c->position),
			LOADS / 16 };

		b->room->timed_begin(b->room, &q);
		ticks[i] = (double)call_loop(b, loop_chase, args).ticks;
		b->room->timed_end(b->room, &q);
		c->position = (c->position + LOADS) % c->nodes;
	}
	return ticks_to_ns(b, stats_median(ticks, TIMES)) / LOADS;
}

static const char *check(struct bench *b)
{
	struct prefetch *p = &b->prefetch;
	struct arena arena;
	struct chain c;
	const char *why;

	if (!b->room->prefetch)
		return "this room cannot turn prefetchers off";
	if (bench_arena(b, common_page(b), &arena))
		return "no memory for an arena";
	uint64_t half = arena.bytes / 2, bytes = half < BYTES ? half : BYTES;

	if (chain_layout(&c, &arena, bytes / NODE, NODE))
		return "no memory for an arena";
	b->arena_uses++;
	chain_order_step(&c, 1);
	chain_link(&c, CHAIN_POINTER);
	p->on_ns = sequential_ns(b, &c);
	if (b->room->prefetch(b->room, false, &why))
		return why;
	p->off_ns = sequential_ns(b, &c);
	return p->off_ns < EFFECT * p->on_ns ? "turning them off shows no effect" : NULL;
}

void prefetch_check(struct bench *b)
{
	struct prefetch *p = &b->prefetch;

	if (b->opt->prefetch == PREFETCH_ON)
		return;
	p->checked = true;
	p->why = check(b);
	if (p->off_ns > 0)
		say(b, "prefetchers: a sequential load takes %.2f ns with them, %.2f ns without\n",
			p->on_ns, p->off_ns);
	if (p->why)
		say(b, "prefetchers stay on: %s\n", p->why);
	prefetch_back(b);
}

int prefetch_off(struct bench *b, const char **why)
{
	*why = b->prefetch.why;
	return *why || b->room->prefetch(b->room, false, why) ? -1 : 0;
}

void prefetch_back(struct bench *b)
{
	bool off = b->opt->prefetch == PREFETCH_OFF && !b->prefetch.why;
	const char *why;

	if (b->room->prefetch)
		b->room->prefetch(b->room, !off, &why);
}
