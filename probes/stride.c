/* SPDX-License-Identifier: MIT */
/*
 * Strided copy [L]: one byte in every `stride`. Up to the line's size every line is still touched,
 * so the time per touched byte grows with the stride; from there on each byte costs one line.
 */
#include "probes/probe.h"
#include "engine/find.h"
#include "probes/stride.h"

#define ARRAY (32 * MIB) /* each of the two, as in Lemire's */

#define MANY (128 * 1024) /* bytes touched in a call, from which on three calls are enough */

struct copy {
	unsigned char *to, *from;
	uint64_t stride, count;
};

static bool check(struct bench *b, const struct job *job)
{
	const struct copy *c = job->priv;

	(void)b;
	for (uint64_t i = 0; i < c->count; i++)
		if (c->to[i * c->stride] != c->from[i * c->stride])
			return false;
	return true;
}

/* The touched bytes differ between the two arrays, so that the check can see a copy missing. */
static void fill(struct bench *b, struct copy *c)
{
	uint64_t x = random_next(&b->random) | 1;

	for (uint64_t i = 0; i < c->count; i++) {
		c->from[i * c->stride] = (unsigned char)(x * (i + 1) >> 56);
		c->to[i * c->stride] = (unsigned char)~c->from[i * c->stride];
	}
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct copy *c = row_alloc(b, sizeof *c);
	uint64_t bytes = row->key[1] / 2;

	if (!c)
		return job_skip(job, "no scratch memory");
	if (row->key[1] > job->arena.bytes)
		return job_skip(job, "needs %llu MiB, the arena has %llu",
			(unsigned long long)(row->key[1] / MIB),
			(unsigned long long)(job->arena.bytes / MIB));
	*c = (struct copy){
		.to = job->arena.base,
		.from = job->arena.base + bytes,
		.stride = row->key[0],
		.count = bytes / row->key[0],
	};
	fill(b, c);
	job->loop = loop_stride_copy;
	job->args[0] = (uintptr_t)c->to;
	job->args[1] = (uintptr_t)c->from;
	job->args[2] = c->stride;
	job->args[3] = c->count;
	job->args[4] = 1;
	for (unsigned i = 0; i < 4; i++)
		job->empty_args[i] = job->args[i];
	job->expect = c->count * c->stride;
	job->check = check;
	job->priv = c;
	job->ops = (double)c->count;
	job->min_samples = c->count >= MANY ? 3 : 0;
	return 0;
}

static void add(struct bench *b, const char *variant, uint64_t stride, uint64_t bytes,
	unsigned rank)
{
	struct row row = row_new(variant, &unit_ns_op, rank, prepare);
	double count = (double)bytes / 2 / (double)stride;

	row.page_bytes = best_page(b);
	row.key[0] = stride;
	row.key[1] = bytes;
	row.cost_ns = 16 * count * (b->pace.ns_per_near_load + b->pace.ns_per_far_load / 8);
	row_param(&row, "stride_bytes", (double)stride);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

/* 16..4096, and one less: odd strides touch every place of a line, and all sets alike. */
void probe_stride_plan(struct bench *b, unsigned stage)
{
	uint64_t bytes = 2 * ARRAY;

	if (stage == 0)
		return;
	while (bytes > b->arena.bytes || (b->opt->largest && bytes > b->opt->largest))
		bytes /= 2;
	flush_plan(b);
	for (uint64_t octave = 16; octave <= 4096; octave *= 2) {
		unsigned parts = b->opt->profile == PROFILE_FULL ? 4 : 2;

		if (b->opt->profile == PROFILE_SMOKE)
			parts = 1;
		for (unsigned i = 0; i < parts; i++) {
			uint64_t stride = octave + octave * i / parts;

			if (stride > 4096)
				break;
			add(b, "even", stride, bytes, i ? RANK_USEFUL : RANK_MAIN);
			add(b, "odd", stride - 1, bytes, i ? RANK_DETAIL : RANK_USEFUL);
		}
	}
}

void probe_stride_meaning(struct bench *b)
{
	struct curve *c = row_alloc(b, sizeof *c);
	struct estimate fetch, line;

	if (!c)
		return;
	fetch = read_fetch_bytes(b, c);
	line = read_line_bytes(b, c);
	if (!fetch.reason)
		say(b,
			"  The time per touched byte grows in proportion up to a stride of %.0f "
			"bytes:\n"
			"  so much seems to come at once.\n",
			fetch.value);
	if (!line.reason)
		say(b, "  A flush takes %.0f bytes along: the cache line seems to be %.0f bytes.\n",
			line.value, line.value);
}
