/* SPDX-License-Identifier: MIT */
/*
 * Groot Koerkamp's batches: chains side by side over the whole sweep of sizes, nothing flushed, so
 * that what a cache holds is found there; plain, with his work on each node, and with the next node
 * prefetched.
 */
#include "probes/mlp_batch.h"

#include "engine/levels.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "probes/lanes.h"

#define LINES      (16 * 1024) /* of all chains together, per sample */
#define LANES_WORK 16          /* his number of chains with work */
#define WALKED     4           /* last caches: of a larger buffer nothing is left after a walk */

enum { PLAIN, WORK, PREFETCH, STYLES };

static const char *const variants[STYLES] = { "batch", "batch-work", "batch-prefetch" };

/* What a row measures. */
struct batch {
	unsigned style, lanes, work;
	uint64_t bytes;
};

/* A row made ready. */
struct walks {
	const struct batch *batch;
	struct chain *chain;
	uint64_t steps, *cursors;
};

static const struct batch *batch_of(const struct row *row)
{
	return row_spec(row, struct batch);
}

/*
 * His loop body adds to a node's number the high halves of products of such numbers, which keeps it
 * from vectors: they are 0 in any buffer of less than 24 GiB, however often it does so.
 */
static uint64_t work_of_lane(const struct walks *w, uint64_t from)
{
	uint64_t base = (uintptr_t)w->chain->base, sum = 0;

	for (uint64_t k = 1; k <= w->steps; k++)
		sum += (chain_at(w->chain, CHAIN_POINTER, from + k) - base) / 8;
	return sum;
}

/* The next stretch of every chain; chains may pass where another one began. */
static void refresh(struct bench *b, struct job *job)
{
	struct walks *w = job->priv;
	uint64_t apart = w->chain->nodes / w->batch->lanes;

	job->expect = 0;
	for (unsigned i = 0; i < w->batch->lanes; i++) {
		uint64_t at = w->chain->position + apart * i;

		w->cursors[i] = chain_at(w->chain, CHAIN_POINTER, at);
		job->expect += chain_at(w->chain, CHAIN_POINTER, at + w->steps);
		if (w->batch->style != PLAIN)
			job->expect += work_of_lane(w, at);
	}
	w->chain->position = (w->chain->position + w->steps) % w->chain->nodes;
}

static void set_arguments(struct job *job, const struct walks *w)
{
	const struct batch *s = w->batch;
	uint64_t pointers = (uintptr_t)w->cursors;

	if (s->style != PLAIN) {
		const uint64_t args[LOOP_ARGS] = { pointers, w->steps, s->lanes,
			(uintptr_t)w->chain->base, s->work };

		job_call(job, s->style == WORK ? loop_batch_work : loop_batch_prefetch, 1, args);
	} else if (s->lanes <= LANES_REGISTERS) {
		const uint64_t args[LOOP_ARGS] = { pointers, w->steps / 8 };

		job_call(job, lanes_loop(s->lanes), 1, args);
	} else {
		const uint64_t args[LOOP_ARGS] = { pointers, w->steps, s->lanes, 1 };

		job_call(job, loop_lanes_many, 1, args);
	}
}

/* The row of one chain through the same buffer, if it was measured before. */
static double one_chain(const struct bench *b, const struct row *row)
{
	for (unsigned i = b->nresults; i--;) {
		const struct row *r = b->results[i].row;

		if (r->prepare == row->prepare && r->page_bytes == row->page_bytes &&
			batch_of(r)->style == PLAIN && batch_of(r)->lanes == 1 &&
			batch_of(r)->bytes == batch_of(row)->bytes)
			return b->results[i].median;
	}
	return NOT_A_NUMBER;
}

static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	double median = b->results[b->nresults - 1].median, one = one_chain(b, job->row);

	jsonl_number(l, "gb_per_s", b->node_bytes / median);
	if (one > 0 && !job->row->no_prefetch)
		jsonl_number(l, "speedup", one / median);
}

static uint64_t steps_of(unsigned lanes)
{
	return LINES / lanes / 8 * 8;
}

/* One walk around fills the caches; what they cannot hold is not worth a walk. */
static unsigned walk_calls(struct bench *b, const struct walks *w)
{
	uint64_t lines = w->steps * w->batch->lanes;

	if (w->batch->bytes > WALKED * last_cache_bytes(b))
		return 2;
	return (unsigned)(w->chain->nodes / lines) + 1;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct walks *w = job_alloc(b, job, sizeof *w);

	if (!w)
		return -1;
	w->batch = batch_of(row);
	w->steps = steps_of(w->batch->lanes);
	w->cursors = job_alloc(b, job, w->batch->lanes * sizeof *w->cursors);
	if (!w->cursors)
		return -1;
	w->chain = lanes_chain(b, job, w->batch->bytes);
	if (!w->chain)
		return -1;
	set_arguments(job, w);
	job->refresh = refresh;
	job->extra = extra;
	job->priv = w;
	job->ops = (double)(w->steps * w->batch->lanes);
	job->warm_calls = walk_calls(b, w);
	return 0;
}

/* Ten samples, and for the first row of a size the chain. */
static double cost(struct bench *b, const struct batch *s)
{
	bool near = s->bytes <= 256 * KIB, first = s->style == PLAIN && s->lanes == 1;
	double ns = near ? b->pace.ns_per_near_load : b->pace.ns_per_far_load;
	double overlap = s->lanes < 8 ? s->lanes : 8, nodes = (double)s->bytes / b->node_bytes;
	bool walked = s->bytes <= WALKED * last_cache_bytes(b);
	double lines = 10.0 * LINES + (walked ? nodes : 2.0 * LINES);
	double work = 10.0 * LINES * s->work * 2 * b->pace.ns_per_near_load;

	return lines * ns / overlap + work + (first ? nodes * b->pace.ns_per_node : 0);
}

static void add(struct bench *b, unsigned style, unsigned lanes, unsigned work, uint64_t bytes,
	size_t page)
{
	struct row row = row_new(variants[style], &unit_ns_line, DROP_FIRST, prepare);

	if (bytes < (uint64_t)lanes * b->node_bytes)
		return; /* fewer nodes than chains */
	row.page_bytes = page;
	*row_spec(&row, struct batch) = (struct batch){ style, lanes, work, bytes };
	row.cost_ns = cost(b, row_spec(&row, struct batch));
	row_param(&row, "bytes", (double)bytes);
	row_param(&row, "lanes", lanes);
	if (style != PLAIN)
		row_param(&row, "work", work);
	plan_add(b, &row);
}

/* Powers of two, and in `full` those around his saturation at 12. */
static bool wanted(const struct bench *b, unsigned lanes)
{
	if (b->opt->profile == PROFILE_FULL && lanes >= 10 && lanes <= 13)
		return true;
	return (lanes & (lanes - 1)) == 0;
}

static void plan_size(struct bench *b, uint64_t bytes, size_t page)
{
	for (unsigned lanes = 1; lanes <= LANES_GROUP; lanes++)
		if (wanted(b, lanes))
			add(b, PLAIN, lanes, 0, bytes, page);
	for (unsigned style = WORK; style <= PREFETCH; style++)
		for (unsigned work = 3; work <= 12; work *= 2)
			add(b, style, LANES_WORK, work, bytes, page);
	add(b, PREFETCH, LANES_WORK, 0, bytes, page);
	add(b, PREFETCH, 2 * LANES_WORK, 0, bytes, page);
}

/* Size by size, so that all rows of a size share their chain. */
void mlp_batch_plan(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep_coarse(b, KIB, sweep_limit(b), b->node_bytes, sizes);
	size_t page = b->room->facts.pages & PAGE_2M ? PAGE_2M : common_page(b);

	for (unsigned i = 0; i < n; i++)
		plan_size(b, sizes[i], page);
}
