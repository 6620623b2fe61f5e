/* SPDX-License-Identifier: MIT */
#include "engine/levels.h"
#include "lib/math.h"
#include "lib/stats.h"
#include "probes/lanes.h"

#define PAIRS_MOST  512 /* per sample */
#define PAIRS_LEAST 128
#define WORK        65536 /* instructions of a sample, where that leaves PAIRS_LEAST */

loop_fn *lanes_loop(unsigned lanes)
{
	static loop_fn *const loops[LANES_REGISTERS] = { loop_lanes_1, loop_lanes_2, loop_lanes_3,
		loop_lanes_4, loop_lanes_5, loop_lanes_6, loop_lanes_7, loop_lanes_8, loop_lanes_9,
		loop_lanes_10, loop_lanes_11, loop_lanes_12 };

	return loops[lanes - 1];
}

/* The chain that is in the arena now, if nobody used the arena since. */
struct kept_chain {
	struct chain chain;
	unsigned uses;
	bool valid;
};

static struct kept_chain *kept_in(struct bench *b)
{
	if (!b->shared_chain)
		b->shared_chain = run_alloc(b, sizeof(struct kept_chain));
	return b->shared_chain;
}

struct chain *lanes_chain(struct bench *b, struct job *job, uint64_t bytes, uint64_t stride)
{
	struct kept_chain *k = kept_in(b);
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
		return job_too_large(job, bytes), NULL;
	chain_order_random(&k->chain, &b->random);
	if (stride >= CHAIN_LINE)
		chain_draw_lines(&k->chain, &b->random);
	if (job_link(b, job, &k->chain, CHAIN_POINTER))
		return NULL;
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

#define FAR_CACHES 3      /* last caches that are walked: then a line is gone */
#define AT_A_TIME  0x4000 /* loads of each walker in a call */
#define STRETCH    512    /* loads of a stretch */
#define STRETCHES  5      /* of each kind */
/*
 * Least time of a stretch that was walked FAR_CACHES ago, over one that was flushed. If each miss
 * evicts a line by chance, 5 % survive then, 0.25 % twice as long, which is the least bytes.
 */
#define GONE 0.9

uint64_t lanes_far_loads(struct bench *b, uint64_t bytes)
{
	uint64_t walked = FAR_CACHES * last_cache_bytes(b), loads = walked / CHAIN_LINE;
	const char *why;

	if (bytes / 2 < walked || loads < 2 * LANES_REGISTERS * STRETCH ||
		!machine_has(b, NEED_CLFLUSH, &why))
		return 0;
	return loads;
}

/*
 * Each walker, `apart` from the next one, goes as far; their pointers are in `cursors`. -1: a loop
 * did not end where plain C says.
 */
static int walk_apart(struct bench *b, const struct chain *c, uint64_t apart, uint64_t *cursors)
{
	uint64_t steps;

	for (uint64_t done = 0; done < apart; done += steps) {
		uint64_t at = c->position + done, sum = 0;

		steps = apart - done < AT_A_TIME ? apart - done : AT_A_TIME;
		for (unsigned i = 0; i < LANES_REGISTERS; i++, at += apart) {
			cursors[i] = chain_at(c, CHAIN_POINTER, at);
			sum += chain_at(c, CHAIN_POINTER, at + steps);
		}
		const uint64_t args[LOOP_ARGS] = { (uintptr_t)cursors, steps / 8 };

		if (call_loop(b, loop_lanes_12, args).value != sum)
			return -1;
	}
	return 0;
}

/* Ticks of STRETCH loads from a position on; 0: the loop did not end where plain C says. */
static double stretch_ticks(struct bench *b, const struct chain *c, uint64_t from)
{
	const uint64_t args[LOOP_ARGS] = { chain_at(c, CHAIN_POINTER, from), STRETCH / 16 };
	struct timed t = call_loop(b, loop_chase, args);

	return t.value == chain_at(c, CHAIN_POINTER, from + STRETCH) ? (double)t.ticks : 0;
}

int lanes_walk_far(struct bench *b, struct job *job, struct chain *c, uint64_t loads)
{
	uint64_t apart = loads / LANES_REGISTERS / 8 * 8, first = c->position;
	uint64_t *list = job_alloc(b, job, STRETCH * sizeof *list);
	double walked[STRETCHES], flushed[STRETCHES];

	if (!list)
		return -1;
	if (walk_apart(b, c, apart, list))
		return job_disproved(job, "the walkers ended elsewhere than plain C says");
	c->position = (first + LANES_REGISTERS * apart) % c->nodes;
	for (unsigned i = 0; i < STRETCHES; i++) {
		lanes_list(c, c->position, STRETCH, list);
		if (lanes_flush(b, list, STRETCH))
			return job_disproved(job, "the flush returned another sum");
		walked[i] = stretch_ticks(b, c, first + i * apart);
		flushed[i] = stretch_ticks(b, c, c->position);
		if (walked[i] == 0 || flushed[i] == 0)
			return job_disproved(job, "a walk ended elsewhere than plain C says");
		c->position = (c->position + STRETCH) % c->nodes;
	}
	return stats_median(walked, STRETCHES) >= GONE * stats_median(flushed, STRETCHES);
}

unsigned lanes_pairs(unsigned instructions)
{
	return math_clamp(WORK / instructions, PAIRS_LEAST, PAIRS_MOST);
}

double lanes_pairs_cost(const struct bench *b, unsigned pairs, unsigned fillers)
{
	double far = b->pace.ns_per_far_load, near = b->pace.ns_per_near_load;

	return 10 * pairs * (4 * far + 2.0 * fillers * near / 8);
}

/* State for the refresh of a sample. */
struct stretches {
	struct chain *chain;
	unsigned pairs;
	uint64_t *list; /* every node of a sample */
};

/* Two stretches half a cycle apart, flushed. */
static void refresh(struct bench *b, struct job *job)
{
	struct stretches *s = job->priv;
	uint64_t at = s->chain->position, other = at + s->chain->nodes / 2;
	uint64_t *end = lanes_list(s->chain, at, s->pairs + 1, s->list);

	end = lanes_list(s->chain, other, s->pairs + 1, end);
	job->args[0] = chain_at(s->chain, CHAIN_POINTER, at);
	job->args[1] = chain_at(s->chain, CHAIN_POINTER, other);
	job->expect = chain_at(s->chain, CHAIN_POINTER, at + s->pairs) +
		chain_at(s->chain, CHAIN_POINTER, other + s->pairs);
	s->chain->position = (at + s->pairs) % s->chain->nodes;
	if (lanes_flush(b, s->list, (uint64_t)(end - s->list)))
		job->expect = ~job->expect; /* not flushed: the row must not be measured */
}

int lanes_pairs_ready(struct bench *b, struct job *job, loop_fn *loop, unsigned pairs,
	const uint64_t more[2])
{
	struct stretches *s = job_alloc(b, job, sizeof *s);

	if (!s)
		return -1;
	s->pairs = pairs;
	s->list = job_alloc(b, job, 2 * (PAIRS_MOST + 1) * sizeof *s->list);
	if (!s->list)
		return -1;
	s->chain = lanes_chain(b, job, LANES_REACH, b->node_bytes);
	if (!s->chain)
		return -1;
	uint64_t base = (uintptr_t)s->chain->base;
	const uint64_t args[LOOP_ARGS] = { base, base, pairs, more[0], more[1] };

	job_call(job, loop, 2, args);
	job->refresh = refresh;
	job->priv = s;
	job->ops = pairs;
	job->warm_calls = 2;
	return 0;
}
