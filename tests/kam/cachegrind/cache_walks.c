/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/chain.h"
#include "lib/math.h"
#include "probes/loops/leaf.h"
#include "probes/streams.h"
#include "tests/kam/cachegrind/cache_walks.h"

#define NODE    64
#define SEED    1
#define PATTERN 0x5a5a5a5a5a5a5a5aull
#define LANES   4

/* What a loop reads beside the memory that it walks: at the bottom of the stack's memory. */
static union {
	struct matmul matmul;
	struct turn_walk turn;
	uint64_t starts[LANES];
} *const beside = (void *)(uintptr_t)WALK_STACK_AT;

static const struct arena memory = { .base = (unsigned char *)(uintptr_t)WALK_AT,
	.bytes = WALK_BYTES };

static void refuse(const char *what, const char *name)
{
	fprintf(stderr, "%s: %s\n", name, what);
	exit(2);
}

/* A chase: its nodes in the order of the probe `latency`, each `step` further on, or at random. */
static struct chain chain_of(const struct cache_walk *w, uint64_t stride, uint64_t step,
	enum chain_link kind)
{
	struct random random;
	struct chain c;

	random_seed(&random, SEED);
	if (chain_layout(&c, &memory, w->bytes / stride, stride))
		refuse("does not fit", w->name);
	if (step)
		chain_order_step(&c, step);
	else if (stride == NODE && w->line > NODE)
		chain_order_apart(&c, w->line / NODE, &random);
	else
		chain_order_random(&c, &random);
	chain_link(&c, kind, NULL);
	return c;
}

static void lay_out_pointers(struct cache_walk *w, uint64_t stride, uint64_t step)
{
	struct chain c = chain_of(w, stride, step, CHAIN_POINTER);

	w->loop = loop_chase;
	w->args[0] = chain_at(&c, CHAIN_POINTER, 0);
	w->args[1] = w->passes * c.nodes / 16;
}

static void lay_out_chase(struct cache_walk *w)
{
	lay_out_pointers(w, NODE, 0);
}

static void lay_out_words(struct cache_walk *w)
{
	lay_out_pointers(w, 8, 0);
}

static void lay_out_in_order(struct cache_walk *w)
{
	lay_out_pointers(w, NODE, 1);
}

static void lay_out_stride(struct cache_walk *w)
{
	lay_out_pointers(w, NODE, 17);
}

static void lay_out_index(struct cache_walk *w)
{
	struct chain c = chain_of(w, NODE, 0, CHAIN_INDEX);

	w->loop = loop_chase_index_padded;
	w->args[0] = (uintptr_t)c.base;
	w->args[1] = chain_at(&c, CHAIN_INDEX, 0);
	w->args[2] = w->passes * c.nodes / 16;
}

/* Four chases on one cycle, a quarter of it apart: each walks it `passes` times. */
static void lay_out_lanes(struct cache_walk *w)
{
	struct chain c = chain_of(w, NODE, 0, CHAIN_POINTER);

	for (unsigned i = 0; i < LANES; i++)
		beside->starts[i] = chain_at(&c, CHAIN_POINTER, i * c.nodes / LANES);
	w->loop = loop_lanes_4;
	w->args[0] = (uintptr_t)beside->starts;
	w->args[1] = w->passes * c.nodes / 8;
}

/* One buffer: (buffer, bytes or lines, passes, pattern). */
static void lay_out_stream(struct cache_walk *w, loop_fn *loop, uint64_t length)
{
	const uint64_t args[LOOP_ARGS] = { WALK_AT, length, w->passes, PATTERN };

	w->loop = loop;
	memcpy(w->args, args, sizeof(args));
}

static void lay_out_read(struct cache_walk *w)
{
	lay_out_stream(w, loop_read_128, w->bytes);
}

static void lay_out_read_narrow(struct cache_walk *w)
{
	lay_out_stream(w, loop_read_32, w->bytes);
}

static void lay_out_bytes(struct cache_walk *w)
{
	lay_out_stream(w, loop_read_byte_per_line, w->bytes / NODE);
}

static void lay_out_write(struct cache_walk *w)
{
	lay_out_stream(w, loop_write_128, w->bytes);
}

/* Two buffers, each of half of the bytes, side by side. */
static void lay_out_copy(struct cache_walk *w)
{
	const uint64_t args[LOOP_ARGS] = { WALK_AT, WALK_AT + w->bytes / 2, w->bytes / 2,
		w->passes };

	w->loop = loop_copy_128;
	memcpy(w->args, args, sizeof(args));
}

/* One byte in 63, so that every place of a line is touched and all sets alike. */
static void lay_out_strided(struct cache_walk *w)
{
	const uint64_t args[LOOP_ARGS] = { WALK_AT, WALK_AT + w->bytes / 2, 63, w->bytes / 2 / 63,
		w->passes };

	w->loop = loop_stride_copy;
	memcpy(w->args, args, sizeof(args));
}

/* Two lines read for each one written. */
static void lay_out_mix(struct cache_walk *w)
{
	uint64_t written = w->bytes / 3 / NODE * NODE;
	const uint64_t args[LOOP_ARGS] = { WALK_AT, WALK_AT + written, written / NODE, w->passes,
		PATTERN };

	w->loop = loop_mix_2_1_128;
	memcpy(w->args, args, sizeof(args));
}

/* Four streams at once, a quarter of the buffer apart. */
static void lay_out_turn(struct cache_walk *w)
{
	unsigned char *at = memory.base;

	beside->turn = streams_walk(at, at, w->bytes, 8, 4, 128, PATTERN);
	w->loop = loop_turn8_write_128;
	w->args[0] = (uintptr_t)&beside->turn;
	w->args[1] = w->passes;
}

/* As many accesses as there are lines, to words drawn at random; the index lies behind them. */
static void lay_out_drawn(struct cache_walk *w, loop_fn *loop)
{
	uint32_t *index = (uint32_t *)(uintptr_t)(WALK_AT + w->bytes);
	uint64_t n = w->bytes / NODE;
	const uint64_t args[LOOP_ARGS] = { WALK_AT, (uintptr_t)index, n, w->passes, PATTERN };
	struct random random;

	random_seed(&random, SEED);
	for (uint64_t i = 0; i < n; i++)
		index[i] = (uint32_t)random_below(&random, w->bytes / 8);
	w->loop = loop;
	memcpy(w->args, args, sizeof(args));
}

static void lay_out_random_read(struct cache_walk *w)
{
	lay_out_drawn(w, loop_random_read_64);
}

static void lay_out_random_write(struct cache_walk *w)
{
	lay_out_drawn(w, loop_random_write_64);
}

/* Three square matrices side by side, of as many whole rows as fit into the bytes. */
static void lay_out_product(struct cache_walk *w, uint64_t (*multiply)(const struct matmul *))
{
	uint64_t n = 1;
	double *base = (double *)memory.base;

	while (3 * (n + 1) * (n + 1) * sizeof(*base) <= w->bytes)
		n++;
	beside->matmul = (struct matmul){ base, base + n * n, base + 2 * n * n, n, n };
	w->loop = loop_timed_call;
	w->args[0] = (uintptr_t)multiply;
	w->args[1] = w->passes;
	w->args[2] = (uintptr_t)&beside->matmul;
}

static void lay_out_ijk(struct cache_walk *w)
{
	lay_out_product(w, leaf_matmul_ijk);
}

static void lay_out_ikj(struct cache_walk *w)
{
	lay_out_product(w, leaf_matmul_ikj);
}

static const struct {
	const char *name;
	void (*lay_out)(struct cache_walk *);
} walks[] = {
	{ "chase", lay_out_chase },
	{ "chase-words", lay_out_words },
	{ "chase-in-order", lay_out_in_order },
	{ "chase-stride", lay_out_stride },
	{ "chase-index", lay_out_index },
	{ "lanes", lay_out_lanes },
	{ "read", lay_out_read },
	{ "read-narrow", lay_out_read_narrow },
	{ "byte-per-line", lay_out_bytes },
	{ "write", lay_out_write },
	{ "copy", lay_out_copy },
	{ "stride-copy", lay_out_strided },
	{ "mix", lay_out_mix },
	{ "turn-write", lay_out_turn },
	{ "random-read", lay_out_random_read },
	{ "random-write", lay_out_random_write },
	{ "matmul-ijk", lay_out_ijk },
	{ "matmul-ikj", lay_out_ikj },
};

static void map(uint64_t address, uint64_t bytes)
{
	void *p = mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

	if (p != (void *)(uintptr_t)address) {
		fprintf(stderr, "%lu bytes cannot be mapped at %#lx\n", bytes, address);
		exit(2);
	}
}

void walk_map(void)
{
	map(WALK_AT, WALK_BYTES);
	map(WALK_STACK_AT, WALK_STACK_BYTES);
}

void walk_lay_out(struct cache_walk *w)
{
	unsigned i;

	for (i = 0; i < sizeof(walks) / sizeof(*walks); i++)
		if (!strcmp(walks[i].name, w->name)) {
			walks[i].lay_out(w);
			return;
		}
	refuse("no such walk", w->name);
}

struct cache_walk walk_of(char *const words[4])
{
	struct cache_walk w = {
		.name = words[0],
		.bytes = strtoull(words[1], NULL, 10),
		.line = strtoull(words[2], NULL, 10),
		.passes = strtoull(words[3], NULL, 10),
	};

	if (!w.bytes || w.bytes % 1024 || w.bytes > WALK_BYTES / 2 || !w.line || !w.passes)
		refuse("bytes must be a multiple of 1024, up to 33554432; line and passes numbers",
			w.name);
	return w;
}
