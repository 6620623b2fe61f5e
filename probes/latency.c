/* SPDX-License-Identifier: MIT */
/*
 * Latency: dependent loads along one cycle through a buffer.
 *
 * Definition (docs/method.md): mean over at least 64 Ki dependent loads after one full walk of the
 * cycle, minus the empty kernel, per load.
 */
#include "probes/probe.h"
#include "engine/chain.h"

#define LOADS_FEWEST (64 * 1024)
#define NODE         64
#define LIST_NODES   1000000

/* Variants with their kernel: where its start and its count stand among the arguments. */
static const struct style {
	const char *variant;
	loop_fn *loop;
	unsigned stride, start, count;
	enum chain_link kind;
	uint64_t step; /* nodes from one to the next, 0: random order */
} styles[] = {
	{ "pointer-padded", loop_chase, NODE, 0, 1, CHAIN_POINTER, 0 },
	{ "pointer", loop_chase, 8, 0, 1, CHAIN_POINTER, 0 },
	{ "index", loop_chase_index, 8, 1, 2, CHAIN_INDEX, 0 },
	{ "index-checked", loop_chase_index_checked, 8, 1, 2, CHAIN_INDEX, 0 },
	{ "index-padded", loop_chase_index_padded, NODE, 1, 2, CHAIN_INDEX, 0 },
	{ "sequential", loop_chase, NODE, 0, 1, CHAIN_POINTER, 1 },
	{ "stride", loop_chase, NODE, 0, 1, CHAIN_POINTER, 17 },
	{ "list-one", loop_chase, NODE, 0, 1, CHAIN_POINTER, 0 },
	{ "list-two", loop_chase_two, NODE, 0, 2, CHAIN_POINTER, 0 },
};

enum { PADDED, POINTER, INDEX, CHECKED, INDEX_PADDED, SEQUENTIAL, STRIDE, LIST_ONE, LIST_TWO };

struct walk {
	struct chain chain;
	const struct style *style;
	uint64_t loads; /* per call and chain, a multiple of 16 */
};

static bool two_lists(const struct walk *w)
{
	return w->style->loop == loop_chase_two;
}

/* The next stretch of the cycle, and where plain C says that it ends. */
static void refresh(struct bench *b, struct job *job)
{
	struct walk *w = job->priv;
	struct chain *c = &w->chain;
	uint64_t half = c->nodes / 2, end = c->position + w->loads;

	(void)b;
	job->args[w->style->start] = chain_at(c, w->style->kind, c->position);
	job->expect = chain_at(c, w->style->kind, end);
	if (two_lists(w)) {
		job->args[1] = chain_at(c, w->style->kind, c->position + half);
		job->expect ^= chain_at(c, w->style->kind, end + half);
	}
	c->position = end % c->nodes;
}

static void set_arguments(struct job *job, struct walk *w)
{
	const struct style *s = w->style;

	job->loop = s->loop;
	if (s->kind == CHAIN_INDEX)
		job->args[0] = (uint64_t)(uintptr_t)w->chain.base;
	job->args[s->count] = w->loads / 16;
	if (s->loop == loop_chase_index_checked)
		job->args[3] = w->chain.nodes;
	for (unsigned i = 0; i < LOOP_ARGS; i++)
		job->empty_args[i] = job->args[i];
	job->empty_args[s->count] = 0;
	job->refresh = refresh;
	job->priv = w;
	job->ops = (double)w->loads * (two_lists(w) ? 2 : 1);
	job->warm_calls = (unsigned)((w->chain.nodes + w->loads - 1) / w->loads);
}

/* The main curve's nodes must share nothing; the other variants are what their names say. */
static uint64_t stride_of(const struct bench *b, const struct style *s)
{
	return s == &styles[PADDED] ? b->node_bytes : s->stride;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct walk *w = row_alloc(b, sizeof *w);
	const struct style *s = &styles[row->key[0]];
	uint64_t stride = stride_of(b, s), nodes = row->key[1] / stride;

	if (!w)
		return job_skip(job, "no scratch memory");
	w->style = s;
	w->loads = LOADS_FEWEST;
	if (chain_layout(&w->chain, &job->arena, nodes, stride))
		return job_skip(job, "needs %llu MiB, the arena has %llu",
			(unsigned long long)((row->key[1] + 4 * nodes) / MIB + 1),
			(unsigned long long)(job->arena.bytes / MIB));
	if (s->step)
		chain_order_step(&w->chain, s->step);
	else
		chain_order_random(&w->chain, &b->random);
	chain_link(&w->chain, s->kind);
	set_arguments(job, w);
	return 0;
}

/* Building the chain, one walk, and the fewest samples with their warm-up. */
static double cost(const struct bench *b, const struct style *s, uint64_t bytes)
{
	double nodes = (double)bytes / (double)stride_of(b, s);
	double ns = bytes <= 256 * KIB ? b->pace.ns_per_near_load : b->pace.ns_per_far_load;

	return nodes * b->pace.ns_per_node + (nodes + 11.0 * LOADS_FEWEST) * ns;
}

static void add(struct bench *b, unsigned style, uint64_t bytes, size_t page, unsigned rank,
	const char *place)
{
	const struct style *s = &styles[style];
	struct row row = row_new(s->variant, &unit_ns_load, rank, prepare);

	row.page_bytes = page;
	row.level = place;
	row.key[0] = style;
	row.key[1] = bytes / stride_of(b, s) * stride_of(b, s);
	row.cost_ns = cost(b, s, bytes);
	row_param(&row, "bytes", (double)row.key[1]);
	if (s->step)
		row_param(&row, "stride_bytes", (double)(s->step * NODE));
	plan_add(b, &row);
}

/* The main curve: every second size of an octave is needed less than the octaves themselves. */
static void plan_curve(struct bench *b)
{
	uint64_t sizes[128];
	unsigned n = sweep(b, KIB, sweep_limit(b), b->node_bytes, sizes, 128);

	for (unsigned i = 0; i < n; i++)
		add(b, PADDED, sizes[i], best_page(b), RANK_NEEDED, NULL);
}

static void plan_level(struct bench *b, const struct level_size *p)
{
	static const size_t pages[] = { PAGE_4K, PAGE_2M, PAGE_1G };
	bool memory = p == &b->levels[LEVEL_MEMORY];

	for (unsigned i = 0; i < 3; i++)
		if (b->env->facts.pages & pages[i])
			add(b, PADDED, p->bytes, pages[i], memory ? RANK_MAIN : RANK_USEFUL,
				p->name);
	for (unsigned style = POINTER; style <= STRIDE; style++)
		add(b, style, p->bytes, best_page(b), memory ? RANK_DETAIL : RANK_USEFUL, p->name);
}

/* The whole curve again with small pages: what the TLB adds at every size. */
static void plan_small_pages(struct bench *b)
{
	uint64_t sizes[128];
	unsigned n = sweep(b, 16 * KIB, sweep_limit(b), b->node_bytes, sizes, 128);

	for (unsigned i = 0; i < n; i++)
		add(b, PADDED, sizes[i], PAGE_4K, RANK_EXTRA, NULL);
}

void probe_latency_plan(struct bench *b, unsigned stage)
{
	if (stage == 0) {
		plan_curve(b);
		return;
	}
	for (unsigned i = 0; i < LEVELS; i++)
		if (b->levels[i].bytes)
			plan_level(b, &b->levels[i]);
	add(b, LIST_ONE, (uint64_t)LIST_NODES * NODE, best_page(b), RANK_USEFUL, NULL);
	add(b, LIST_TWO, (uint64_t)LIST_NODES * NODE, best_page(b), RANK_USEFUL, NULL);
	if (b->opt->profile == PROFILE_FULL)
		plan_small_pages(b);
}

static void say_load(struct bench *b, const char *which, const struct result *r)
{
	say(b, "  %s of %llu KiB: %.2f ns, %.1f core cycles a load.\n", which,
		(unsigned long long)(r->row->key[1] / KIB), r->median, r->cycles);
}

/* The first and the last of the curve. */
static void say_curve(struct bench *b)
{
	const struct result *first = NULL, *last = NULL;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (r->row->prepare != prepare || r->row->key[0] != PADDED || r->row->level)
			continue;
		first = first ? first : r;
		last = r;
	}
	if (!first || first == last)
		return;
	say_load(b, "The smallest buffer,", first);
	say_load(b, "The largest buffer,", last);
}

static const struct result *at_level(const struct bench *b, unsigned style, enum level level,
	size_t page)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (r->row->prepare == prepare && r->row->key[0] == style &&
			r->row->level == b->levels[level].name && r->page_bytes == page)
			return r;
	}
	return NULL;
}

static void say_pages(struct bench *b)
{
	const struct result *small = at_level(b, PADDED, LEVEL_MEMORY, PAGE_4K);
	const struct result *large = at_level(b, PADDED, LEVEL_MEMORY, PAGE_2M);

	if (small && large && large->median > 0)
		say(b,
			"  In memory, a load takes %.2f times as long with 4 KiB pages as with 2 "
			"MiB.\n",
			small->median / large->median);
}

static void say_index(struct bench *b)
{
	const struct result *pointer = at_level(b, POINTER, LEVEL_L1, best_page(b));
	const struct result *index = at_level(b, INDEX, LEVEL_L1, best_page(b));
	const struct result *checked = at_level(b, CHECKED, LEVEL_L1, best_page(b));

	if (pointer && index && checked)
		say(b,
			"  In L1, an index costs %+.1f core cycles a load over a pointer, checked "
			"%+.1f.\n",
			index->cycles - pointer->cycles, checked->cycles - pointer->cycles);
}

void probe_latency_meaning(struct bench *b)
{
	if (!b->levels[LEVEL_L1].name) { /* stage 0 */
		say_curve(b);
		return;
	}
	say_pages(b);
	say_index(b);
}
