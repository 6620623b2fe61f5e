/* SPDX-License-Identifier: MIT */
/* Calibrate the machine before its first row, and turn its prefetchers off. */
#include "engine/calibration.h"
#include "engine/probe_api.h"
#include "engine/chain.h"
#include "engine/measure.h"
#include "lib/stats.h"

/*
 * Does the other line of a pair come with a line: a longer line, or a prefetcher that fetches pairs
 * (Intel's "spatial prefetcher", optimization manual, "Data Prefetch to L2")? Then half of the
 * misses of a chase through all lines are none. Each trial draws lines all over a region and
 * flushes them, so that no cache has them, however large; then it loads some of them, and then
 * their companions: the other lines of their pairs. The same with companions that are too far away
 * to come along, but in the same page and DRAM row, tells what such a companion costs.
 */

#define NODE_LEAST 64  /* bytes: the shortest line */
#define NODE_MOST  512 /* bytes */
#define TRIALS     5   /* of each distance, most of which decide; of each speed */
#define LINES      1024
#define BLOCK      2048 /* bytes: in each are one line and its companion */
#define FAR_AWAY   1024 /* bytes from a line to a companion that does not come with it */
#define AT_ONCE    64   /* lines, before their companions: more than streams are tracked */
/*
 * The pair's ticks over those of lines far away: one half if the companion comes along, 3/4 if the
 * next line comes, which is the companion of every second line only, and 1 if none comes.
 */
#define PAIRED 0.65

struct lines {
	uint32_t blocks[LINES];
	uint64_t list[2 * LINES]; /* addresses in the order of the visits */
};

/* Lines all over the region at random, each with the one `apart` bytes away, a power of two. */
static void draw(struct bench *b, struct lines *l, uint64_t bytes, uint64_t apart)
{
	uint64_t base = (uintptr_t)b->arena.base, stride = bytes / LINES / BLOCK * BLOCK;
	uint64_t *out = l->list;

	for (uint32_t i = 0; i < LINES; i++) {
		uint32_t other = (uint32_t)random_below(&b->random, i + 1);

		l->blocks[i] = l->blocks[other];
		l->blocks[other] = i;
	}
	for (unsigned i = 0; i < LINES; i += AT_ONCE, out += 2 * AT_ONCE)
		for (unsigned k = 0; k < AT_ONCE; k++) {
			uint64_t line = random_below(&b->random, BLOCK / NODE_LEAST) * NODE_LEAST;

			out[k] = base + l->blocks[i + k] * stride + line;
			out[AT_ONCE + k] = out[k] ^ apart;
		}
}

/* Ticks of one chase along all of them, none in a cache; 0: the flush did not do its work. */
static double ticks_cold(struct bench *b, struct lines *l, uint64_t bytes, uint64_t apart)
{
	const uint64_t flush[LOOP_ARGS] = { (uintptr_t)l->list, 2 * LINES };
	uint64_t sum = 0;

	draw(b, l, bytes, apart);
	const uint64_t chase[LOOP_ARGS] = { l->list[0], 2 * LINES / 16 };

	for (unsigned i = 0; i < 2 * LINES; i++) {
		*(uint64_t *)(uintptr_t)l->list[i] = l->list[(i + 1) % (2 * LINES)];
		sum += l->list[i];
	}
	if (call_loop(b, loop_flush, flush).value != sum)
		return 0;
	return (double)call_loop(b, loop_chase, chase).ticks;
}

/* In how many trials the line `apart` bytes away came along. */
static unsigned votes(struct bench *b, struct lines *l, uint64_t bytes, uint64_t apart)
{
	unsigned yes = 0;

	for (unsigned i = 0; i < TRIALS; i++) {
		double pair = ticks_cold(b, l, bytes, apart);
		double alone = ticks_cold(b, l, bytes, FAR_AWAY);

		yes += pair > 0 && alone > 0 && pair < PAIRED * alone;
	}
	return yes;
}

/*
 * Double the distance while lines come in pairs. The result is as sure as the least clear decision.
 */
static void double_while_paired(struct bench *b, struct lines *l, uint64_t bytes)
{
	b->node_bytes_votes = TRIALS;
	while (b->node_bytes < NODE_MOST) {
		unsigned yes = votes(b, l, bytes, b->node_bytes), no = TRIALS - yes;
		unsigned clear = yes > no ? yes : no;

		if (clear < b->node_bytes_votes)
			b->node_bytes_votes = clear;
		if (yes < no)
			return;
		b->node_bytes *= 2;
	}
}

/*
 * Measure the distance at which two nodes share neither a line nor lines that are fetched together.
 * Sets b->node_bytes (64 to 512) and b->node_bytes_votes: by the setting `node`; else measured with
 * flushed lines in the first `bytes` of the arena (2 MiB or more), whose contents are lost.
 */
static void measure_node_bytes(struct bench *b, uint64_t bytes)
{
	const char *why;
	struct lines *l;
	size_t mark = b->work.used;

	b->node_bytes = b->opt->node ? (unsigned)b->opt->node : NODE_LEAST;
	b->node_bytes_votes = 0;
	if (b->opt->node || !machine_has(b, NEED_CLFLUSH, &why))
		return;
	l = row_alloc(b, sizeof *l);
	if (l && bytes >= (uint64_t)LINES * BLOCK)
		double_while_paired(b, l, bytes);
	b->work.used = mark;
}

/*
 * Measure roughly how fast this machine is, so that the planner knows which rows fit into a
 * profile. An emulator may be a hundred times slower than silicon, so nothing here is assumed.
 */

/*
 * Trials of each pace. The median counts: one interrupt, or one translation by an emulator, may
 * spoil a trial.
 */
#define TRIED 4096 /* loads in a trial */
#define CALLS 8    /* and calls */

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
	struct arena first = b->arena;
	uint64_t start = b->room->now(b->room);

	if (first.bytes > ARENA_PART) /* so much of it is ready */
		first.bytes = ARENA_PART;
	if (chain_layout(&chain, &first, nodes, 64))
		return 0;
	chain_order_random(&chain, &b->random);
	if (chain_link(&chain, CHAIN_POINTER, b->room))
		return 0;
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

/*
 * Returns a size that no cache holds, small enough that calibration does not use up the time it
 * plans.
 */
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

static const char *check_prefetch(struct bench *b)
{
	struct prefetch *p = &b->prefetch;
	struct arena arena;
	struct chain c;
	const char *why;

	if (!b->room->prefetch)
		return "this room cannot turn prefetchers off";
	if (bench_arena(b, common_page(b), 0, &arena))
		return "no memory for an arena";
	uint64_t half = arena.bytes / 2, bytes = half < BYTES ? half : BYTES;

	if (chain_layout(&c, &arena, bytes / NODE, NODE))
		return "no memory for an arena";
	b->arena_uses++;
	chain_order_step(&c, 1);
	if (chain_link(&c, CHAIN_POINTER, b->room))
		return "interrupted";
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
	p->why = check_prefetch(b);
	if (p->off_ns > 0)
		say(b, "prefetchers: a sequential load takes %.2f ns with them, %.2f ns without\n",
			p->on_ns, p->off_ns);
	if (p->why)
		tell(b, "prefetchers stay on: %s\n", p->why);
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
