/* SPDX-License-Identifier: MIT */
/*
 * Memory-level parallelism: several independent pointer chases at once.
 *
 * Definition (README.md): parallel misses are the speed-up of independent misses whose lines
 * were flushed before the sample: in a region that the TLB reaches, and in one at least 8 times the
 * last cache, where page walks may take part. Groot Koerkamp's batches, where nothing is flushed,
 * go over the whole sweep of sizes.
 */
#include "probes/probe.h"

#include "engine/levels.h"
#include "probes/lanes.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"

#define LINES      (16 * 1024) /* of all chains together, per sample */
#define STRETCHES  7           /* samples in a quiet room as well: each has lines of its own */
#define FEW_CHAINS 4           /* one chain is told from so many; see least_of_one */
#define MULTIPLIER 0x9e3779b97f4a7c15ULL

enum {
	CHAINS,
	REACH,
	WORK_3,
	WORK_6,
	WORK_12,
	PREFETCH_3,
	PREFETCH_6,
	PREFETCH_12,
	ELEMENTS,
	ELEMENTS_GIB,
	ELEMENTS_256_MIB,
	TOGETHER,
	TOGETHER_GIB,
	STYLES
};

static const struct batch_style {
	const char *variant;
	unsigned work; /* multiplications on each node, 0: none */
	loop_fn *loop;
} styles[STYLES] = {
	[CHAINS] = { "chains" },
	[REACH] = { "chains-reach" },
	[WORK_3] = { "work", 3, loop_lanes_work_3 },
	[WORK_6] = { "work", 6, loop_lanes_work_6 },
	[WORK_12] = { "work", 12, loop_lanes_work_12 },
	[PREFETCH_3] = { "prefetch", 3, loop_lanes_prefetch_3 },
	[PREFETCH_6] = { "prefetch", 6, loop_lanes_prefetch_6 },
	[PREFETCH_12] = { "prefetch", 12, loop_lanes_prefetch_12 },
	[ELEMENTS] = { "elements", 0, loop_lanes_many },
	[ELEMENTS_GIB] = { "elements-gib", 0, loop_lanes_many },
	[ELEMENTS_256_MIB] = { "elements-256-mib", 0, loop_lanes_many },
	[TOGETHER] = { "elements-together", 0, loop_lanes_many },
	[TOGETHER_GIB] = { "elements-gib-together", 0, loop_lanes_many },
};

/* Parameters of a row. */
struct chains {
	unsigned style, lanes;
	uint64_t bytes; /* of the region */
	bool flush;     /* every line of a sample, before it */
};

/* Lemire's chains go over an array of 64-bit elements, all others over nodes of their own lines. */
static bool over_elements(const struct chains *c)
{
	return c->style >= ELEMENTS;
}

/* Returns true if the lanes stay together: each loads the same lines as all others. */
static bool are_together(const struct batch_style *s)
{
	return s >= &styles[TOGETHER];
}

static uint64_t stride_of(const struct bench *b, const struct chains *c)
{
	return over_elements(c) ? sizeof(uint64_t) : b->node_bytes;
}

static const struct chains *spec_of(const struct result *r)
{
	return row_spec(r->row, struct chains);
}

/* A row made ready. */
struct walks {
	const struct batch_style *style;
	struct chain *chain;
	unsigned lanes;
	uint64_t steps;           /* of each chain, per sample */
	uint64_t steps_most;      /* before it was known how long they take */
	uint64_t *cursors, *list; /* list: every node of a sample, NULL: no flush */
};

/* Chain i starts i / lanes of the cycle further on; those that are together at one place. */
static uint64_t start_of(const struct walks *w, unsigned i)
{
	uint64_t apart = are_together(w->style) ? 0 : w->chain->nodes / w->lanes;

	return w->chain->position + apart * i;
}

static uint64_t worked(uint64_t pointer, unsigned work)
{
	while (work--)
		pointer *= MULTIPLIER;
	return pointer;
}

/*
 * The next stretch of every chain, whose lines are flushed: nothing is in a cache when it is
 * walked.
 */
static void next_stretch(struct bench *b, struct job *job)
{
	struct walks *w = job->priv;
	uint64_t n = 0;

	job->expect = 0;
	for (unsigned i = 0; i < w->lanes; i++) {
		uint64_t at = start_of(w, i);

		w->cursors[i] = chain_at(w->chain, CHAIN_POINTER, at);
		job->expect += chain_at(w->chain, CHAIN_POINTER, at + w->steps);
		if (w->list)
			n = (uint64_t)(lanes_list(w->chain, at, w->steps + 1, w->list + n) -
				w->list);
		for (uint64_t k = 1; w->style->work && k <= w->steps; k++)
			job->expect +=
				worked(chain_at(w->chain, CHAIN_POINTER, at + k), w->style->work);
	}
	w->chain->position = (w->chain->position + w->steps) % w->chain->nodes;
	if (w->list && lanes_flush(b, w->list, n))
		job->expect = ~job->expect; /* not flushed: the row must not be measured */
}

/* Loops whose chains are in registers count steps in groups of 8. */
static bool in_registers(const struct walks *w)
{
	return !w->style->loop && w->lanes <= LANES_REGISTERS;
}

/* Lines of a call, of all chains together. */
static void resize(struct bench *b, struct job *job, double lines)
{
	struct walks *w = job->priv;

	w->steps = (uint64_t)math_clamp(lines / w->lanes / 8, 1, w->steps_most / 8) * 8;
	job->args[1] = in_registers(w) ? w->steps / 8 : w->steps;
	job->ops = (double)w->steps * w->lanes;
}

static void set_arguments(struct job *job, struct walks *w)
{
	unsigned groups = (w->lanes + LANES_GROUP - 1) / LANES_GROUP;
	bool registers = in_registers(w);
	loop_fn *loop = w->style->loop ? w->style->loop
		: registers            ? lanes_loop(w->lanes)
				       : loop_lanes_many;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)w->cursors,
		registers ? w->steps / 8 : w->steps, w->lanes / groups, groups,
		w->style->work ? MULTIPLIER : 0 };

	job_call(job, loop, 1, args);
}

/* Returns true if two rows of this file differ only in their chains. */
static bool same_memory(const struct result *r, const struct row *row)
{
	return r->row->prepare == row->prepare &&
		spec_of(r)->bytes == row_spec(row, struct chains)->bytes &&
		r->row->page_bytes == row->page_bytes;
}

/*
 * GB/s of lines, or of elements, that were asked for, and the speed-up over one chain, which took
 * `one`; 0 or not a number: not measured.
 */
static void write_speed(struct bench *b, const struct row *row, struct jsonl *l, unsigned bytes,
	double one)
{
	double median = b->results[b->nresults - 1].median;

	jsonl_number(l, "gb_per_s", bytes / median);
	if (one > 0 && !row->no_prefetch) /* the row of one chain was measured with prefetchers */
		jsonl_number(l, "speedup", one / median);
}

static void chains_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct chains *own = row_spec(job->row, struct chains);
	unsigned base = over_elements(own) || own->style == REACH ? own->style : CHAINS;
	double one = 0;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (same_memory(r, job->row) && spec_of(r)->style == base && spec_of(r)->lanes == 1)
			one = r->median;
	}
	write_speed(b, job->row, l, over_elements(own) ? sizeof(uint64_t) : CHAIN_LINE, one);
	if (over_elements(own)) /* what the source times: one walk through all elements */
		jsonl_number(l, "seconds_in_all",
			b->results[b->nresults - 1].median * 1e-9 * (double)own->bytes /
				sizeof(uint64_t));
	if (over_elements(own)) /* a line for each load, as L26 counts */
		jsonl_number(l, "lines_gib_per_s",
			CHAIN_LINE * 1e9 / b->results[b->nresults - 1].median / GIB);
}

/* Steps of each chain per sample, in groups of 8; never so many that a chain meets the next one. */
static uint64_t steps_of(uint64_t nodes, const struct chains *spec)
{
	unsigned lanes = spec->lanes;
	uint64_t apart = are_together(&styles[spec->style]) ? nodes : nodes / lanes;
	uint64_t steps = LINES / lanes;

	return (steps < apart ? steps : apart - (apart > 0)) / 8 * 8;
}

/*
 * Returns true if one walk around such a buffer fills the caches; of a larger buffer they hold too
 * little.
 */
/*
 * Calls of so many steps before the first sample. Flushed lines need no walk, only a warm core, and
 * neither do lanes over the elements that one lane has walked before.
 */
static unsigned walk_calls(struct bench *b, const struct chain *c, uint64_t steps, bool warm)
{
	if (warm || !leaves_something(b, c->nodes * c->stride))
		return 2;
	return (unsigned)(c->nodes / steps) + 1;
}

static int prepare_chains(struct bench *b, const struct row *row, struct job *job)
{
	const struct chains *spec = row_spec(row, struct chains);
	struct walks *w = job_alloc(b, job, sizeof *w);

	if (!w)
		return -1;
	*w = (struct walks){ .style = &styles[spec->style], .lanes = spec->lanes };
	w->steps = w->steps_most = steps_of(spec->bytes / stride_of(b, spec), spec);
	w->cursors = job_alloc(b, job, w->lanes * sizeof *w->cursors);
	if (spec->flush)
		w->list = job_alloc(b, job, (w->steps + 1) * w->lanes * sizeof *w->list);
	if (!w->cursors || (spec->flush && !w->list))
		return -1;
	w->chain = lanes_chain(b, job, spec->bytes, stride_of(b, spec));
	if (!w->chain)
		return -1;
	if (w->steps == 0)
		return job_skip(job, "%u chains are too many for %llu nodes", w->lanes,
			(unsigned long long)w->chain->nodes);
	set_arguments(job, w);
	job->refresh = next_stretch;
	job->resize = resize;
	job->flushed = spec->flush;
	job->extra = chains_extra;
	job->priv = w;
	job->ops = (double)w->steps * w->lanes;
	job->min_samples = spec->flush ? STRETCHES : 0;
	job->warm_calls = walk_calls(b, w->chain, w->steps * w->lanes,
		spec->flush || (over_elements(spec) && w->lanes > 1));
	return 0;
}

/* Warming up and the fewest samples, with flush and prediction; the first row builds the chain. */
static double cost(const struct bench *b, uint64_t bytes, unsigned lanes, bool flush)
{
	double far = b->pace.ns_per_far_load, overlap = lanes < 8 ? lanes : 8;
	double nodes = (double)bytes / b->node_bytes, call = LINES * far / overlap;
	double calls = 3 + 7 * sample_part(call);

	if (flush)
		call += LINES * (far + 2 * b->pace.ns_per_near_load);
	return calls * call + (flush ? 0 : nodes * far / overlap) +
		(lanes == 1 ? nodes * b->pace.ns_per_node : 0);
}

/* Sets of rows that are compared with their first one, that of one chain; see struct row. */
enum { SET_REACH = 1, SET_MEMORY /* with 2 MiB pages, and one more for each other size */ };

static void plan_chains(struct bench *b, unsigned style, unsigned lanes, const struct level_size *p,
	size_t page, enum answer answer, unsigned set)
{
	bool flush = style == REACH || p == &b->levels[LEVEL_MEMORY];
	struct row row = row_new(styles[style].variant, &unit_ns_line, answer, prepare_chains);

	row.page_bytes = page;
	row.level = p->name;
	row.set = set;
	row.needs = flush ? NEED_CLFLUSH : 0;
	*row_spec(&row, struct chains) = (struct chains){ style, lanes, p->bytes, flush };
	row.cost_ns = cost(b, p->bytes, lanes, flush);
	row_param(&row, "bytes", (double)p->bytes);
	row_param(&row, "lanes", lanes);
	if (styles[style].work)
		row_param(&row, "work", styles[style].work);
	plan_add(b, &row);
}

/* Numbers of chains worth a row: to 64 (`full`: 128), and powers of two to 1024 but in `smoke`. */
static bool wanted(const struct bench *b, unsigned lanes)
{
	static const unsigned coarse[] = { 1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 36, 40, 48,
		56, 64 };

	if (wants_all_points(b->opt))
		return lanes <= LANES_GROUP || (lanes & (lanes - 1)) == 0;
	if (b->opt->profile == PROFILE_DEFAULT && lanes <= 24)
		return true;
	for (unsigned i = 0; i < sizeof coarse / sizeof *coarse; i++)
		if (coarse[i] == lanes)
			return true;
	if (b->opt->profile != PROFILE_DEFAULT)
		return false;
	return (lanes <= 64 && lanes % 4 == 0) || (lanes & (lanes - 1)) == 0;
}

static bool sparse(unsigned lanes)
{
	return (lanes & (lanes - 1)) == 0 || (lanes < 40 && lanes % 4 == 0);
}

/* The few chains that all others are compared with are measured in turns with them. */
static void plan_flushed(struct bench *b, unsigned style, const struct level_size *p, size_t page,
	enum answer answer, bool all, unsigned set)
{
	for (unsigned few = 1; few <= FEW_CHAINS; few++)
		for (unsigned lanes = few; lanes <= 1024; lanes += FEW_CHAINS)
			if (wanted(b, lanes) && (all || sparse(lanes)))
				plan_chains(b, style, lanes, p, page, answer, set);
}

static void plan_work(struct bench *b)
{
	for (unsigned style = WORK_3; style <= PREFETCH_12; style++)
		for (unsigned lanes = 1; lanes <= LANES_WORKING; lanes *= 2)
			plan_chains(b, style, lanes, &b->levels[LEVEL_MEMORY], common_page(b),
				ANSWER_WORK, 0);
}

/*
 * Groot Koerkamp's batches: chains side by side over the whole sweep of sizes, nothing flushed, so
 * that what a cache holds is found there; plain, with his work on each node, and with the next node
 * prefetched. His nodes are lines, also where these come in pairs.
 */

#define BATCH_LANES     16 /* his number of chains with work */
#define BATCH_REGISTERS 13 /* most chains that his compiler keeps in registers */

enum { BATCH_PLAIN, BATCH_WORK, BATCH_PREFETCH, BATCH_STYLES };

static const char *const batch_variants[BATCH_STYLES] = { "batch", "batch-work", "batch-prefetch" };

/* Parameters of a row. */
struct batch {
	unsigned style, lanes, work;
	uint64_t bytes;
};

/* A row made ready. */
struct batch_walks {
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
static uint64_t work_of_lane(const struct batch_walks *w, uint64_t from)
{
	uint64_t base = (uintptr_t)w->chain->base, sum = 0;

	for (uint64_t k = 1; k <= w->steps; k++)
		sum += (chain_at(w->chain, CHAIN_POINTER, from + k) - base) / 8;
	return sum;
}

/* The next stretch of every chain; chains may pass where another one began. */
static void next_batch(struct bench *b, struct job *job)
{
	struct batch_walks *w = job->priv;
	uint64_t apart = w->chain->nodes / w->batch->lanes;

	job->expect = 0;
	for (unsigned i = 0; i < w->batch->lanes; i++) {
		uint64_t at = w->chain->position + apart * i;

		w->cursors[i] = chain_at(w->chain, CHAIN_POINTER, at);
		job->expect += chain_at(w->chain, CHAIN_POINTER, at + w->steps);
		if (w->batch->style != BATCH_PLAIN)
			job->expect += work_of_lane(w, at);
	}
	w->chain->position = (w->chain->position + w->steps) % w->chain->nodes;
}

static void set_batch_arguments(struct job *job, const struct batch_walks *w)
{
	const struct batch *s = w->batch;
	uint64_t pointers = (uintptr_t)w->cursors;

	if (s->style != BATCH_PLAIN) {
		const uint64_t args[LOOP_ARGS] = { pointers, w->steps, s->lanes,
			(uintptr_t)w->chain->base, s->work };

		job_call(job, s->style == BATCH_WORK ? loop_batch_work : loop_batch_prefetch, 1,
			args);
	} else if (s->lanes <= BATCH_REGISTERS) {
		const uint64_t args[LOOP_ARGS] = { pointers, w->steps / 8 };

		job_call(job, s->lanes > LANES_REGISTERS ? loop_lanes_13 : lanes_loop(s->lanes), 1,
			args);
	} else {
		const uint64_t args[LOOP_ARGS] = { pointers, w->steps, s->lanes - LANES_REGISTERS };

		job_call(job, loop_lanes_spilled, 1, args);
	}
}

/* The row of one chain through the same buffer, if it was measured before. */
static double one_chain_of_batch(const struct bench *b, const struct row *row)
{
	for (unsigned i = b->nresults; i--;) {
		const struct row *r = b->results[i].row;

		if (r->prepare == row->prepare && r->page_bytes == row->page_bytes &&
			batch_of(r)->style == BATCH_PLAIN && batch_of(r)->lanes == 1 &&
			batch_of(r)->bytes == batch_of(row)->bytes)
			return b->results[i].median;
	}
	return NOT_A_NUMBER;
}

static void batch_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	write_speed(b, job->row, l, CHAIN_LINE, one_chain_of_batch(b, job->row));
}

static uint64_t batch_steps(unsigned lanes)
{
	return LINES / lanes / 8 * 8;
}

/* Lines of a call, of all chains together. */
static void resize_batch(struct bench *b, struct job *job, double lines)
{
	struct batch_walks *w = job->priv;
	unsigned lanes = w->batch->lanes;
	bool registers = w->batch->style == BATCH_PLAIN && lanes <= BATCH_REGISTERS;

	w->steps = (uint64_t)math_clamp(lines / lanes / 8, 1, batch_steps(lanes) / 8) * 8;
	job->args[1] = registers ? w->steps / 8 : w->steps;
	job->ops = (double)(w->steps * lanes);
}

static int prepare_batch(struct bench *b, const struct row *row, struct job *job)
{
	struct batch_walks *w = job_alloc(b, job, sizeof *w);

	if (!w)
		return -1;
	w->batch = batch_of(row);
	w->steps = batch_steps(w->batch->lanes);
	w->cursors = job_alloc(b, job, w->batch->lanes * sizeof *w->cursors);
	if (!w->cursors)
		return -1;
	w->chain = lanes_chain(b, job, w->batch->bytes, CHAIN_LINE);
	if (!w->chain)
		return -1;
	set_batch_arguments(job, w);
	job->refresh = next_batch;
	job->resize = resize_batch;
	job->extra = batch_extra;
	job->priv = w;
	job->ops = (double)(w->steps * w->batch->lanes);
	job->warm_calls = walk_calls(b, w->chain, w->steps * w->batch->lanes, false);
	return 0;
}

/* Warming up and the fewest samples, and for the first row of a size the chain. */
static double batch_cost(struct bench *b, const struct batch *s)
{
	bool near = s->bytes <= 256 * KIB, first = s->style == BATCH_PLAIN && s->lanes == 1;
	double ns = near ? b->pace.ns_per_near_load : b->pace.ns_per_far_load;
	double overlap = s->lanes < 8 ? s->lanes : 8, nodes = (double)s->bytes / CHAIN_LINE;
	bool walked = leaves_something(b, s->bytes);
	double work = s->work * 2 * b->pace.ns_per_near_load; /* a line */
	double calls = 3 + 7 * sample_part(LINES * (ns / overlap + work));
	double lines = calls * LINES + (walked ? nodes : 2.0 * LINES);

	return lines * ns / overlap + calls * LINES * work +
		(first ? nodes * b->pace.ns_per_node : 0);
}

static void plan_batch(struct bench *b, unsigned style, unsigned lanes, unsigned work,
	uint64_t bytes, size_t page)
{
	struct row row =
		row_new(batch_variants[style], &unit_ns_line, ANSWER_BATCHES, prepare_batch);

	if (bytes < (uint64_t)lanes * CHAIN_LINE)
		return; /* fewer nodes than chains */
	row.page_bytes = page;
	*row_spec(&row, struct batch) = (struct batch){ style, lanes, work, bytes };
	row.cost_ns = batch_cost(b, row_spec(&row, struct batch));
	row_param(&row, "bytes", (double)bytes);
	row_param(&row, "lanes", lanes);
	if (style != BATCH_PLAIN)
		row_param(&row, "work", work);
	plan_add(b, &row);
}

/* Powers of two, and in `full` those around his saturation at 12. */
static bool batch_lanes_wanted(const struct bench *b, unsigned lanes)
{
	if (wants_all_points(b->opt) && lanes >= 10 && lanes <= 13)
		return true;
	return (lanes & (lanes - 1)) == 0;
}

static void plan_batch_size(struct bench *b, uint64_t bytes, size_t page)
{
	for (unsigned lanes = 1; lanes <= LANES_GROUP; lanes++)
		if (batch_lanes_wanted(b, lanes))
			plan_batch(b, BATCH_PLAIN, lanes, 0, bytes, page);
	for (unsigned style = BATCH_WORK; style <= BATCH_PREFETCH; style++)
		for (unsigned work = 3; work <= 12; work *= 2)
			plan_batch(b, style, BATCH_LANES, work, bytes, page);
	plan_batch(b, BATCH_PREFETCH, BATCH_LANES, 0, bytes, page);
	plan_batch(b, BATCH_PREFETCH, 2 * BATCH_LANES, 0, bytes, page);
}

/* Size by size, so that all rows of a size share their chain. */
static void plan_batches(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep_coarse(b, KIB, sweep_limit(b), CHAIN_LINE, sizes);
	size_t page = b->room->facts.pages & PAGE_2M ? PAGE_2M : common_page(b);

	for (unsigned i = 0; i < n; i++)
		plan_batch_size(b, sizes[i], page);
}

/*
 * Lemire's: lanes over an array of 64-bit elements, nothing flushed, so that what a cache holds is
 * found there, and a line has eight elements. 100 million of them and 1 to 40 lanes [L]; 1 GiB and
 * powers of two to 1024 [M3], and 99, the most of [L26]; 256 MiB and 1 to 40 [L26]. The array is
 * made once for all lanes. His first program as it is printed never fills the index from which it
 * takes the starts of the lanes: all are element 0. Lanes that are together are that program, those
 * apart are what its text describes.
 */
#define ELEMENTS_BYTES 800000000
#define ELEMENTS_LANES 40
#define GIB_LANES_L26  99

/* An array of so many bytes, or what fits: beside an element of 8 bytes lie 4 of its order. */
static uint64_t elements_bytes(const struct bench *b, uint64_t bytes)
{
	uint64_t most = b->arena.bytes / 16 * 10;

	if (b->opt->largest && b->opt->largest < most)
		most = b->opt->largest;
	return (bytes < most ? bytes : most) / sizeof(uint64_t) * sizeof(uint64_t);
}

static void plan_elements_of(struct bench *b, unsigned style, unsigned lanes, uint64_t bytes)
{
	struct row row =
		row_new(styles[style].variant, &unit_ns_load, ANSWER_ELEMENTS, prepare_chains);
	struct chains *spec = row_spec(&row, struct chains);
	double each = 2 * b->pace.ns_per_node; /* element, for the lane that comes first */

	row.page_bytes = common_page(b);
	*spec = (struct chains){ style, lanes, elements_bytes(b, bytes), false };
	if (leaves_something(b, spec->bytes))
		each += b->pace.ns_per_far_load;
	row.cost_ns = (lanes == 1 ? (double)spec->bytes / 8 * each : 0) +
		12.0 * LINES * b->pace.ns_per_far_load / (lanes < 8 ? lanes : 8);
	row_param(&row, "bytes", (double)spec->bytes);
	row_param(&row, "lanes", lanes);
	plan_add(b, &row);
}

static void plan_elements(struct bench *b)
{
	static const unsigned to_40[] = { ELEMENTS, TOGETHER, ELEMENTS_256_MIB };
	static const unsigned by_twos[] = { ELEMENTS_GIB, TOGETHER_GIB };

	for (unsigned i = 0; i < 3; i++)
		for (unsigned lanes = 1; lanes <= ELEMENTS_LANES; lanes++)
			plan_elements_of(b, to_40[i], lanes,
				to_40[i] == ELEMENTS_256_MIB ? 256 * MIB : ELEMENTS_BYTES);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned lanes = 1; lanes <= 1024; lanes *= 2)
			plan_elements_of(b, by_twos[i], lanes, GIB);
	plan_elements_of(b, ELEMENTS_GIB, GIB_LANES_L26, GIB);
}

static void mlp_plan(struct bench *b)
{
	static const size_t pages[] = { PAGE_2M, PAGE_4K, PAGE_1G };
	const struct level_size *memory = &b->levels[LEVEL_MEMORY];

	plan_flushed(b, REACH, &(struct level_size){ .bytes = LANES_REACH }, common_page(b),
		ANSWER_MISSES, true, SET_REACH);
	plan_flushed(b, CHAINS, memory, common_page(b), ANSWER_MISSES_WALKED, true, SET_MEMORY);
	plan_work(b);
	for (unsigned i = 0; i < 3; i++)
		if ((b->room->facts.pages & pages[i]) && pages[i] != common_page(b))
			plan_flushed(b, CHAINS, memory, pages[i],
				pages[i] == PAGE_1G ? ANSWER_PAGES_1G : ANSWER_MISSES_4K,
				b->opt->profile == PROFILE_FULL, SET_MEMORY + 1 + i);
	for (unsigned level = LEVEL_L2; level < LEVEL_MEMORY; level++)
		for (unsigned lanes = 1; b->levels[level].bytes && lanes <= 40; lanes++)
			if (wanted(b, lanes) && sparse(lanes))
				plan_chains(b, CHAINS, lanes, &b->levels[level], common_page(b),
					ANSWER_MISSES_CACHES, 0);
	if (b->opt->profile != PROFILE_SMOKE)
		plan_batches(b);
	if (wants_all_points(b->opt))
		plan_elements(b);
}

/*
 * Chains that no register holds (more than LANES_REGISTERS) take three instructions each. The
 * window counts as full 3 % early: it is known to a step of its curve only, 16 of about 500
 * instructions.
 */
#define LANE_INSTRUCTIONS 3
#define WINDOW_FULL       0.97 /* of the instructions that it holds */

#define SPEED_UP_MOST 1.1 /* per chain: a tenth is scatter, more cannot be */
#define ONE_DISTURBED "k chains were more than 1.1 k times as fast as one"

/*
 * k chains are at most k times as fast as one: where nothing disturbs, one takes k times as long a
 * line as k chains, or less. So the least of that over few chains, which do not hinder each other,
 * is nearest to what one takes alone. Returns its place on the curve.
 */
static unsigned least_of_one(const struct curve *c)
{
	unsigned least = 0;

	for (unsigned i = 1; i < c->n && c->point[i].x <= FEW_CHAINS; i++)
		if (c->point[i].x * c->point[i].y < c->point[least].x * c->point[least].y)
			least = i;
	return least;
}

/* Makes speed-ups of the curve's times. False: some chains are more times as fast than they are. */
static bool make_speed_ups(struct curve *c, double one)
{
	bool possible = true;

	for (unsigned i = 0; i < c->n; i++) {
		c->point[i].y = one / c->point[i].y;
		possible &= c->point[i].y <= SPEED_UP_MOST * c->point[i].x;
	}
	return possible;
}

/*
 * Returns the number of misses at once: the speed-up of several independent chains over one, with
 * pages of one size.
 */
static struct estimate misses_at_once(struct bench *b, struct found_values *f, unsigned style,
	size_t page, struct curve *c)
{
	const struct pick pick = {
		.variant = styles[style].variant,
		.x = "lanes",
		.page_bytes = page,
		.level = style == REACH ? NULL : level_names[LEVEL_MEMORY],
	};
	const struct summary *window;
	struct estimate misses;
	unsigned one;

	if (!take_curve(&f->reader, &pick, c))
		return not_resolved(NOT_MEASURED);
	if (c->point[0].x != 1)
		return not_resolved("one chain alone was not measured");
	one = least_of_one(c);
	if (!make_speed_ups(c, c->point[one].x * c->point[one].y))
		return not_resolved(ONE_DISTURBED);
	misses = less_sure(infer_saturation(c->point, c->n), curve_confidence_loss(c, 0, c->n - 1));
	misses = less_sure(misses, curve_confidence_loss(c, one, one)); /* all rest on it */
	run_find(b, f, "window");
	window = find_value(f, VALUE_window_instructions);
	if (window && misses.value > LANES_REGISTERS &&
		misses.value * LANE_INSTRUCTIONS > window->value * WINDOW_FULL)
		return not_resolved("the window was full before");
	return misses;
}

static void mlp_find(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c);
	size_t page = main_page(b, styles[CHAINS].variant);
	size_t reach = main_page(b, styles[REACH].variant);

	if (!c)
		return;
	found(f, VALUE_parallel_misses, misses_at_once(b, f, REACH, reach, c),
		"mlp chains-reach over lanes")
		->page_bytes = reach;
	found(f, VALUE_parallel_misses_walk, misses_at_once(b, f, CHAINS, page, c),
		"mlp chains over lanes, level memory")
		->page_bytes = page;
	found(f, VALUE_parallel_misses_4k,
		page == PAGE_4K ? not_resolved("there were no other pages")
				: misses_at_once(b, f, CHAINS, PAGE_4K, c),
		"mlp chains over lanes, level memory, 4 KiB pages")
		->page_bytes = PAGE_4K;
}

/* The fastest row of the chains that share one's memory. */
static void say_fastest(struct bench *b, const struct result *one)
{
	const struct result *best = one;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (same_memory(r, one->row) && spec_of(r)->style == CHAINS &&
			r->median < best->median)
			best = r;
	}
	say(b, "  %s, pages of %u KiB: one chain %.1f ns a line, %u chains %.1f ns, %.1f GB/s.\n",
		one->row->level, (unsigned)(one->page_bytes / KIB), one->median,
		spec_of(best)->lanes, best->median, CHAIN_LINE / best->median);
}

static const struct result *widest(const struct bench *b, unsigned style)
{
	for (unsigned i = 0; i < b->nresults; i++)
		if (b->results[i].row->prepare == prepare_chains &&
			spec_of(&b->results[i])->style == style &&
			spec_of(&b->results[i])->lanes == LANES_WORKING)
			return &b->results[i];
	return NULL;
}

static void mlp_meaning(struct bench *b)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (r->row->prepare == prepare_chains && spec_of(r)->style == CHAINS &&
			spec_of(r)->lanes == 1)
			say_fastest(b, r);
	}
	for (unsigned i = 0; i < 3; i++) {
		const struct result *plain = widest(b, WORK_3 + i);
		const struct result *ahead = widest(b, PREFETCH_3 + i);

		if (plain && ahead)
			say(b,
				"  %u chains, %u multiplications a node: %.1f ns, with prefetch "
				"%.1f ns a line.\n",
				LANES_WORKING, styles[WORK_3 + i].work, plain->median,
				ahead->median);
	}
}

const struct hooks probe_mlp = {
	.plan = mlp_plan,
	.find = mlp_find,
	.meaning = mlp_meaning,
};
