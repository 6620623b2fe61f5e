/* SPDX-License-Identifier: MIT */
/*
 * Does the other line of a pair come with a line: a longer line, or a prefetcher that fetches pairs
 * (Intel's "spatial prefetcher", optimization manual, "Data Prefetch to L2")? Then half of the
 * misses of a chase through all lines are none. Each trial draws lines all over a region and
 * flushes them, so that no cache has them, however large; then it loads some of them, and then
 * their companions: the other lines of their pairs. The same with companions that are too far away
 * to come along, but in the same page and DRAM row, tells what such a companion costs.
 */
#include "engine/node_bytes.h"

#include "engine/probe_api.h"

#define NODE_LEAST 64  /* bytes: the shortest line */
#define NODE_MOST  512 /* bytes */
#define TRIALS     5   /* of each distance; most of them decide */
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

/* As sure as the least clear of its decisions. */
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

void measure_node_bytes(struct bench *b, uint64_t bytes)
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
