/* SPDX-License-Identifier: MIT */
/*
 * Strided copy [L]: one byte in every `stride`. Up to the line's size every line is still touched,
 * so the time per touched byte grows with the stride; from there on each byte costs one line.
 */
#include "probes/probe.h"

#include "engine/claims.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "probes/lanes.h"

/*
 * The length of a line, apart from what a prefetcher adds to it: clflush of one address takes its
 * whole line out of every cache, and nothing else. A word farther on is then missing if, and only
 * if, it is in the same line.
 */

#define FLUSH_VARIANT "flush-beside"
#define FLUSH_APART   "apart_bytes" /* from the address flushed to the word that is loaded */

#define NODES      64  /* few: they stay in any L1 or L2 */
#define BLOCK      512 /* bytes from a flushed address to the next, and what all are aligned to */
#define APART_FROM 8   /* surely in the same line: the control */
#define APART_TO   (BLOCK / 2)

/* Parameters of a row. */
struct offset {
	uint64_t apart; /* bytes from the flushed address to the word that is loaded */
};

struct beside {
	struct chain chain;
	uint64_t list[NODES]; /* the addresses to flush: the starts of the blocks */
};

/* Brings every node in, then flushes the starts of their blocks. */
static void flush_beside(struct bench *b, struct job *job)
{
	struct beside *s = job->priv;

	if (call_loop(b, job->loop, job->args).value != job->expect ||
		lanes_flush(b, s->list, NODES))
		job->expect = ~job->expect; /* not flushed: the row must not be measured */
}

static int prepare_flush(struct bench *b, const struct row *row, struct job *job)
{
	struct beside *s = job_alloc(b, job, sizeof *s);

	if (!s)
		return -1;
	if (chain_layout(&s->chain, &job->arena, NODES, BLOCK))
		return job_too_large(job, NODES * BLOCK);
	for (unsigned i = 0; i < NODES; i++)
		s->list[i] = (uintptr_t)s->chain.base + i * BLOCK;
	s->chain.base += row_spec(row, struct offset)->apart;
	chain_order_random(&s->chain, &b->random);
	if (job_link(b, job, &s->chain, CHAIN_POINTER))
		return -1;
	const uint64_t args[LOOP_ARGS] = { chain_at(&s->chain, CHAIN_POINTER, 0), NODES / 16 };

	job_call(job, loop_chase, 1, args);
	job->expect = args[0];
	job->refresh = flush_beside;
	job->priv = s;
	job->ops = NODES;
	return 0;
}

/* Adds the rows of probes/stride/stride.c. */
static void flush_plan(struct bench *b)
{
	for (uint64_t apart = APART_FROM; apart <= APART_TO; apart *= 2) {
		struct row row = row_new(FLUSH_VARIANT, &unit_ns_load, ANSWER_LINE, prepare_flush);

		row.needs = NEED_CLFLUSH;
		row.page_bytes = common_page(b);
		row_spec(&row, struct offset)->apart = apart;
		row.cost_ns = 20 * (3 * NODES * b->pace.ns_per_far_load + 3 * b->pace.ns_per_call);
		row_param(&row, FLUSH_APART, (double)apart);
		plan_add(b, &row);
	}
}

#define ARRAY (32 * MIB) /* each of the two, as in Lemire's */

#define STRIDE_MOST 1024         /* beyond, pages and sets come into it */
#define MANY        (128 * 1024) /* bytes touched in a call, from which on three calls are enough */

/* Parameters of a row. */
struct strided {
	uint64_t stride, bytes; /* of both arrays */
};

static const char even[] = "even", odd[] = "odd", odd_4k[] = "odd-4k";

struct strided_copy {
	unsigned char *to, *from;
	uint64_t stride, count;
};

static bool check(struct bench *b, const struct job *job)
{
	const struct strided_copy *c = job->priv;

	for (uint64_t i = 0; i < c->count; i++)
		if (c->to[i * c->stride] != c->from[i * c->stride])
			return false;
	return true;
}

/* The touched bytes differ between the two arrays, so that the check can see a copy missing. */
static void fill(struct bench *b, struct strided_copy *c)
{
	uint64_t x = random_next(&b->random) | 1;

	for (uint64_t i = 0; i < c->count; i++) {
		c->from[i * c->stride] = (unsigned char)(x * (i + 1) >> 56);
		c->to[i * c->stride] = (unsigned char)~c->from[i * c->stride];
	}
}

/*
 * Add the source's numbers [L]: the array's bytes over the time of a pass, for the mean and the
 * extremes.
 */
static void copy_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct result *r = &b->results[b->nresults - 1];
	double stride = (double)((const struct strided_copy *)job->priv)->stride;

	jsonl_number(l, "gb_per_s", stride / r->mean);
	jsonl_number(l, "gb_per_s_least", stride / r->max);
	jsonl_number(l, "gb_per_s_most", stride / r->min);
}

static int prepare_copy(struct bench *b, const struct row *row, struct job *job)
{
	const struct strided *spec = row_spec(row, struct strided);
	struct strided_copy *c = job_alloc(b, job, sizeof *c);
	uint64_t bytes = spec->bytes / 2;

	if (!c)
		return -1;
	if (spec->bytes > job->arena.bytes)
		return job_too_large(job, spec->bytes);
	*c = (struct strided_copy){
		.to = job->arena.base,
		.from = job->arena.base + bytes,
		.stride = spec->stride,
		.count = bytes / spec->stride,
	};
	fill(b, c);
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)c->to, (uintptr_t)c->from, c->stride,
		c->count, 1 };

	job_call(job, loop_stride_copy, 4, args);
	job->expect = c->count * c->stride;
	job->check = check;
	job->extra = copy_extra;
	job->priv = c;
	job->ops = (double)c->count;
	job->min_samples = c->count >= MANY ? 3 : 0;
	return 0;
}

static void plan_copy(struct bench *b, const char *variant, uint64_t stride, uint64_t bytes,
	enum answer answer)
{
	struct row row = row_new(variant, &unit_ns_op, answer, prepare_copy);
	double count = (double)bytes / 2 / (double)stride;

	row.page_bytes = variant == odd_4k ? PAGE_4K : common_page(b);
	*row_spec(&row, struct strided) = (struct strided){ stride, bytes };
	row.cost_ns = 16 * count * (b->pace.ns_per_near_load + b->pace.ns_per_far_load / 8);
	row_param(&row, "stride_bytes", (double)stride);
	row_param(&row, "bytes", (double)bytes);
	plan_add(b, &row);
}

/* 16..4096, and one less: odd strides touch every place of a line, and all sets alike. */
static void stride_plan(struct bench *b)
{
	uint64_t bytes = 2 * ARRAY;

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
			plan_copy(b, even, stride, bytes, i ? ANSWER_STRIDES : ANSWER_LINE);
			plan_copy(b, odd, stride - 1, bytes, ANSWER_STRIDES);
			if (!i) /* the source's strides, in pages as small as its own */
				plan_copy(b, odd_4k, stride - 1, bytes, ANSWER_STRIDES);
		}
	}
}

#define BETWEEN_LOSS 0.5 /* confidence lost where the knee is between two sizes that may be */

/*
 * Memory delivers a power of two bytes. A knee between two of them belongs to either: the bracket
 * has both, and the value is the nearer one.
 */
static struct estimate one_of_two(const struct curve *c, struct estimate e)
{
	double below = 1, above;
	unsigned i = 0;

	while (2 * below <= e.value)
		below *= 2;
	if (e.reason || below == e.value)
		return e;
	above = 2 * below;
	while (i + 1 < c->n && c->point[i].x <= above)
		i++;
	return resolved(e.value * e.value < below * above ? below : above, below, c->point[i].x,
		e.confidence * (1 - BETWEEN_LOSS));
}

/* The unit that memory delivers: a line, or a pair of lines fetched together. */
static struct estimate fetch_bytes(const struct bench *b, const struct reader *reader,
	struct curve *c)
{
	const struct pick evens = { .variant = even, .x = "stride_bytes" };
	const struct pick odds = { .variant = odd, .x = "stride_bytes" };

	take_curve(reader, &evens, c);
	if (!add_to_curve(b, &odds, c))
		return not_resolved(NOT_MEASURED);
	while (c->n && c->point[c->n - 1].x > STRIDE_MOST)
		c->n--;
	return c->n ? less_sure(one_of_two(c, infer_knee(c->point, c->n)),
			      curve_confidence_loss(c, 0, c->n - 1))
		    : not_resolved(NOT_MEASURED);
}

/* Returns the bytes that a flush removes; no prefetcher can make them more. */
static struct estimate line_bytes(const struct bench *b, const struct reader *reader,
	struct curve *c)
{
	const struct pick beside = { .variant = FLUSH_VARIANT, .x = FLUSH_APART };

	if (!take_curve(reader, &beside, c))
		return not_resolved(NOT_MEASURED);
	return less_sure(infer_fall(c->point, c->n), curve_confidence_loss(c, 0, c->n - 1));
}

static void stride_find(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c);
	struct cache_claim l1;

	if (!c)
		return;
	found(f, VALUE_line_bytes, line_bytes(b, &f->reader, c),
		"stride flush-beside over apart_bytes")
		->claimed = claims_data_cache(b->room, 1, &l1) ? l1.line_bytes : NOT_A_NUMBER;
	found(f, VALUE_fetch_bytes, fetch_bytes(b, &f->reader, c), "stride even and odd");
}

const struct hooks probe_stride = {
	.plan = stride_plan,
	.find = stride_find,
};
