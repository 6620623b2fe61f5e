/* SPDX-License-Identifier: MIT */
/*
 * Memory-level parallelism: several independent pointer chases at once.
 *
 * Definition (docs/method.md): parallel misses are the speed-up of independent misses whose lines
 * were flushed before the sample, in a region at least 8 times the last cache.
 */
#include "probes/probe.h"
#include "probes/lanes.h"
#include "lib/jsonl_write.h"

#define LINES      (16 * 1024) /* of all chains together, per sample */
#define MULTIPLIER 0x9e3779b97f4a7c15ULL

static const struct style {
	const char *variant;
	unsigned work; /* multiplications on each node, 0: none */
	loop_fn *loop;
} styles[] = {
	{ "chains", 0, NULL },
	{ "work", 3, loop_lanes_work_3 },
	{ "work", 6, loop_lanes_work_6 },
	{ "work", 12, loop_lanes_work_12 },
	{ "prefetch", 3, loop_lanes_prefetch_3 },
	{ "prefetch", 6, loop_lanes_prefetch_6 },
	{ "prefetch", 12, loop_lanes_prefetch_12 },
};

#define STYLES (sizeof styles / sizeof *styles)

struct cpu_task {
	const struct style *style;
	struct chain *chain;
	unsigned lanes;
	uint64_t steps;           /* of each chain, per sample */
	uint64_t *cursors, *list; /* list: every node of a sample, NULL: no flush */
};

/* Chain i starts i / lanes of the cycle further on. */
static uint64_t start_of(const struct cpu_task *c, unsigned i)
{
	return c->chain->position + c->chain->nodes / c->lanes * i;
}

static uint64_t worked(uint64_t pointer, unsigned work)
{
	while (work--)
		pointer *= MULTIPLIER;
	return pointer;
}

/* The next stretch of every chain: nothing of it was touched since its lines are flushed here. */
static void refresh(struct bench *b, struct job *job)
{
	struct cpu_task *c = job->priv;
	uint64_t n = 0;

	job->expect = 0;
	for (unsigned i = 0; i < c->lanes; i++) {
		uint64_t at = start_of(c, i);

		c->cursors[i] = chain_at(c->chain, CHAIN_POINTER, at);
		job->expect += chain_at(c->chain, CHAIN_POINTER, at + c->steps);
		if (c->list)
			n = (uint64_t)(lanes_list(c->chain, at, c->steps + 1, c->list + n) -
				c->list);
		for (uint64_t k = 1; c->style->work && k <= c->steps; k++)
			job->expect +=
				worked(chain_at(c->chain, CHAIN_POINTER, at + k), c->style->work);
	}
	c->chain->position = (c->chain->position + c->steps) % c->chain->nodes;
	if (c->list && lanes_flush(b, c->list, n))
		job->expect = ~job->expect; /* not flushed: the row must not be measured */
}

static void set_arguments(struct job *job, struct cpu_task *c)
{
	unsigned groups = (c->lanes + LANES_GROUP - 1) / LANES_GROUP;

	job->args[0] = (uintptr_t)c->cursors;
	job->args[1] = c->steps;
	if (c->style->loop) {
		job->loop = c->style->loop;
		job->args[4] = MULTIPLIER;
	} else if (c->lanes <= LANES_REGISTERS) {
		job->loop = lanes_loop(c->lanes);
		job->args[1] = c->steps / 8;
	} else {
		job->loop = loop_lanes_many;
	}
	job->args[2] = c->lanes / groups;
	job->args[3] = groups;
	for (unsigned i = 0; i < LOOP_ARGS; i++)
		job->empty_args[i] = job->args[i];
	job->empty_args[1] = 0;
}

/* GB/s and the speed-up over one chain, where that row was measured. */
static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct row *row = job->row;
	double median = b->results[b->nresults - 1].median, one = 0;

	(void)values;
	(void)n;
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (r->row->prepare == row->prepare && r->row->key[0] == 0 && r->row->key[2] == 1 &&
			r->row->key[1] == row->key[1] && r->row->page_bytes == row->page_bytes)
			one = r->median;
	}
	jsonl_number(l, "gb_per_s", b->node_bytes / median);
	if (one > 0 && !row->no_prefetch) /* one chain's row is the one with prefetchers */
		jsonl_number(l, "speedup", one / median);
}

/* Steps of each chain per sample, in groups of 8; never so many that a chain meets the next one. */
static uint64_t steps_of(uint64_t nodes, unsigned lanes)
{
	uint64_t apart = nodes / lanes, steps = LINES / lanes;

	return (steps < apart ? steps : apart - (apart > 0)) / 8 * 8;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct cpu_task *c = row_alloc(b, sizeof *c);
	bool flush = row->key[3];

	if (!c)
		return job_skip(job, "no scratch memory");
	*c = (struct cpu_task){ .style = &styles[row->key[0]], .lanes = (unsigned)row->key[2] };
	c->steps = steps_of(row->key[1] / b->node_bytes, c->lanes);
	c->cursors = row_alloc(b, c->lanes * sizeof *c->cursors);
	c->list = flush ? row_alloc(b, (c->steps + 1) * c->lanes * sizeof *c->list) : NULL;
	if (!c->cursors || (flush && !c->list))
		return job_skip(job, "no scratch memory");
	c->chain = lanes_chain(b, job, row->key[1]);
	if (!c->chain)
		return -1;
	if (c->steps == 0)
		return job_skip(job, "%u chains are too many for %llu nodes", c->lanes,
			(unsigned long long)c->chain->nodes);
	set_arguments(job, c);
	job->refresh = refresh;
	job->extra = extra;
	job->priv = c;
	job->ops = (double)c->steps * c->lanes;
	/* Cached places: one full walk first. Flushed lines need none, only a warm core. */
	job->warm_calls = flush ? 2 : (unsigned)(c->chain->nodes / (c->steps * c->lanes)) + 1;
	return 0;
}

/* Ten samples with their flush and prediction; the first row of a size also builds the chain. */
static double cost(const struct bench *b, uint64_t bytes, unsigned lanes, bool flush)
{
	double far = b->pace.ns_per_far_load, overlap = lanes < 8 ? lanes : 8;
	double nodes = (double)bytes / b->node_bytes, sample = LINES * far / overlap;

	if (flush)
		sample += LINES * (far + 2 * b->pace.ns_per_near_load);
	return 10 * sample + (flush ? 0 : nodes * far / overlap) +
		(lanes == 1 ? nodes * b->pace.ns_per_node : 0);
}

static void add(struct bench *b, unsigned style, unsigned lanes, const struct level_size *p,
	size_t page, unsigned rank)
{
	bool flush = p == &b->levels[LEVEL_MEMORY];
	struct row row = row_new(styles[style].variant, &unit_ns_line, rank, prepare);

	row.page_bytes = page;
	row.level = p->name;
	row.needs = flush ? NEED_CLFLUSH : 0;
	row.key[0] = style;
	row.key[1] = p->bytes;
	row.key[2] = lanes;
	row.key[3] = flush;
	row.cost_ns = cost(b, p->bytes, lanes, flush);
	row_param(&row, "bytes", (double)p->bytes);
	row_param(&row, "lanes", lanes);
	if (styles[style].work)
		row_param(&row, "work", styles[style].work);
	plan_add(b, &row);
}

/* Numbers of chains worth a row; up to 40, in `full` to 128 and powers of two to 1024. */
static bool wanted(const struct bench *b, unsigned lanes)
{
	static const unsigned coarse[] = { 1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40 };

	if (b->opt->profile == PROFILE_FULL)
		return lanes <= LANES_GROUP || (lanes & (lanes - 1)) == 0;
	if (b->opt->profile == PROFILE_DEFAULT && lanes <= 24)
		return true;
	for (unsigned i = 0; i < sizeof coarse / sizeof *coarse; i++)
		if (coarse[i] == lanes)
			return true;
	return b->opt->profile == PROFILE_DEFAULT && lanes <= 40 && lanes % 4 == 0;
}

static bool sparse(unsigned lanes)
{
	return (lanes & (lanes - 1)) == 0 || (lanes < 40 && lanes % 4 == 0);
}

static void plan_memory(struct bench *b, size_t page, unsigned rank, bool all)
{
	for (unsigned lanes = 1; lanes <= 1024; lanes++)
		if (wanted(b, lanes) && (all || sparse(lanes)))
			add(b, 0, lanes, &b->levels[LEVEL_MEMORY], page,
				lanes == 1 || (all && lanes <= 40 && sparse(lanes)) ? rank
										    : rank + 1);
}

static void plan_work(struct bench *b)
{
	for (unsigned style = 1; style < STYLES; style++)
		for (unsigned lanes = 1; lanes <= LANES_WORKING; lanes *= 2)
			add(b, style, lanes, &b->levels[LEVEL_MEMORY], best_page(b),
				lanes == LANES_WORKING ? RANK_USEFUL : RANK_DETAIL);
}

void probe_mlp_plan(struct bench *b, unsigned stage)
{
	static const size_t pages[] = { PAGE_2M, PAGE_4K };

	if (stage == 0)
		return;
	plan_memory(b, best_page(b), RANK_MAIN, true);
	plan_work(b);
	for (unsigned i = 0; i < 2; i++)
		if ((b->env->facts.pages & pages[i]) && pages[i] != best_page(b))
			plan_memory(b, pages[i], RANK_USEFUL, b->opt->profile == PROFILE_FULL);
	for (unsigned level = LEVEL_L2; level <= LEVEL_L3; level++)
		for (unsigned lanes = 1; b->levels[level].bytes && lanes <= 40; lanes++)
			if (wanted(b, lanes) && sparse(lanes))
				add(b, 0, lanes, &b->levels[level], best_page(b), RANK_DETAIL);
}

static bool first_of_kind(const struct result *r, unsigned style)
{
	return r->row->prepare == prepare && r->row->key[0] == style && r->row->key[2] == 1;
}

/* The fewest chains within 5 % of the best: more do not help. */
static void say_kind(struct bench *b, unsigned first)
{
	const struct result *one = &b->results[first], *best = one, *enough = NULL;

	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = first; i < b->nresults; i++) {
			const struct result *r = &b->results[i];

			if (r->row->prepare != prepare || r->row->key[0] != one->row->key[0] ||
				r->row->key[1] != one->row->key[1] ||
				r->row->page_bytes != one->row->page_bytes)
				continue;
			if (pass == 0 && r->median < best->median)
				best = r;
			if (pass == 1 && !enough && r->median <= best->median * 1.05)
				enough = r;
		}
	say(b,
		"  %s, %u KiB pages: %.1f ns a line alone, %.1f ns (%.1f GB/s) with %u chains: "
		"%.1f misses at once.\n",
		one->row->level, (unsigned)(one->page_bytes / KIB), one->median, enough->median,
		b->node_bytes / enough->median, (unsigned)enough->row->key[2],
		one->median / enough->median);
}

void probe_mlp_meaning(struct bench *b)
{
	for (unsigned i = 0; i < b->nresults; i++)
		if (first_of_kind(&b->results[i], 0))
			say_kind(b, i);
	for (unsigned i = 0; i < b->nresults; i++)
		for (unsigned k = i; k < b->nresults; k++) {
			const struct row *plain = b->results[i].row, *ahead = b->results[k].row;

			if (plain->prepare == prepare && ahead->prepare == prepare &&
				plain->key[0] >= 1 && plain->key[0] <= 3 &&
				ahead->key[0] == plain->key[0] + 3 &&
				plain->key[2] == LANES_WORKING && ahead->key[2] == LANES_WORKING)
				say(b,
					"  %u chains, %u multiplications a node: %.1f ns, with "
					"prefetch %.1f ns a line.\n",
					LANES_WORKING, styles[plain->key[0]].work,
					b->results[i].median, b->results[k].median);
		}
}
