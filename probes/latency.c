/* SPDX-License-Identifier: MIT */
/*
 * Latency: dependent loads along one cycle through a buffer.
 *
 * Definition (docs/method.md): mean over at least 64 Ki dependent loads after one full walk of the
 * cycle, minus the empty loop, per load.
 */
#include "probes/probe.h"

#include "engine/chain.h"
#include "probes/latency.h"

#define LOADS_FEWEST (64 * 1024)
#define NODE         64

/* Variants with their loop: where its start and its count stand among the arguments. */
static const struct style {
	const char *variant;
	loop_fn *loop;
	unsigned stride, start, count;
	enum chain_link kind;
	uint64_t step; /* nodes from one to the next, 0: random order */
} styles[] = {
	{ latency_curve, loop_chase, NODE, 0, 1, CHAIN_POINTER, 0 },
	{ "method-checked", loop_method_checked, 8, 1, 2, CHAIN_INDEX, 0 },
	{ "method-unchecked", loop_method_unchecked, 8, 1, 2, CHAIN_INDEX, 0 },
	{ "method-padded", loop_method_padded, NODE, 1, 2, CHAIN_INDEX, 0 },
	{ "method-raw", loop_method_raw, 8, 0, 1, CHAIN_POINTER, 0 },
	{ "method-raw-padded", loop_method_raw, NODE, 0, 1, CHAIN_POINTER, 0 },
	{ "pointer", loop_chase, 8, 0, 1, CHAIN_POINTER, 0 },
	{ "index", loop_chase_index, 8, 1, 2, CHAIN_INDEX, 0 },
	{ "index-checked", loop_chase_index_checked, 8, 1, 2, CHAIN_INDEX, 0 },
	{ "index-padded", loop_chase_index_padded, NODE, 1, 2, CHAIN_INDEX, 0 },
	{ "sequential", loop_chase, NODE, 0, 1, CHAIN_POINTER, 1 },
	{ "stride", loop_chase, NODE, 0, 1, CHAIN_POINTER, 17 },
};

enum {
	PADDED,
	METHOD_CHECKED,
	METHOD_UNCHECKED,
	METHOD_PADDED,
	METHOD_RAW,
	METHOD_RAW_PADDED,
	POINTER,
	INDEX,
	CHECKED,
	INDEX_PADDED,
	SEQUENTIAL,
	STRIDE
};

/* Groot Koerkamp's loops count loads, the others 16 at a time. */
static bool counts_loads(const struct style *s)
{
	return s >= &styles[METHOD_CHECKED] && s <= &styles[METHOD_RAW_PADDED];
}

/* What a row measures. */
struct chase {
	unsigned style;
	uint64_t bytes;
};

struct walk {
	struct chain chain;
	const struct style *style;
	uint64_t loads; /* per call, a multiple of 16 */
};

/* The next stretch of the cycle, and where plain C says that it ends. */
static void refresh(struct bench *b, struct job *job)
{
	struct walk *w = job->priv;
	struct chain *c = &w->chain;
	uint64_t end = c->position + w->loads;

	job->args[w->style->start] = chain_at(c, w->style->kind, c->position);
	job->expect = chain_at(c, w->style->kind, end);
	c->position = end % c->nodes;
}

static void set_arguments(struct job *job, struct walk *w)
{
	const struct style *s = w->style;
	uint64_t args[LOOP_ARGS] = { 0 };

	if (s->kind == CHAIN_INDEX)
		args[0] = (uint64_t)(uintptr_t)w->chain.base;
	args[s->count] = counts_loads(s) ? w->loads : w->loads / 16;
	if (s->loop == loop_chase_index_checked || s->loop == loop_method_checked)
		args[3] = w->chain.nodes;
	job_call(job, s->loop, s->count, args);
	job->refresh = refresh;
	job->priv = w;
	job->ops = (double)w->loads;
	job->warm_calls = (unsigned)((w->chain.nodes + w->loads - 1) / w->loads);
}

/*
 * The main curve uses all lines, so that its sizes are those that caches hold. Lines that come
 * together are visited as far from each other as can be, so that none is found by chance.
 */
static void order(struct bench *b, struct chain *c, const struct style *s)
{
	if (s->step)
		chain_order_step(c, s->step);
	else if (s == &styles[PADDED] && b->node_bytes > NODE)
		chain_order_apart(c, b->node_bytes / NODE, &b->random);
	else
		chain_order_random(c, &b->random);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct chase *spec = row_spec(row, struct chase);
	struct walk *w = job_alloc(b, job, sizeof *w);
	const struct style *s = &styles[spec->style];
	uint64_t nodes = spec->bytes / s->stride;

	if (!w)
		return -1;
	w->style = s;
	w->loads = LOADS_FEWEST;
	if (chain_layout(&w->chain, &job->arena, nodes, s->stride))
		return job_too_large(job, spec->bytes + 4 * nodes);
	order(b, &w->chain, s);
	chain_link(&w->chain, s->kind);
	set_arguments(job, w);
	return 0;
}

/* Building the chain, one walk, and the fewest samples with their warm-up. */
static double cost(const struct bench *b, const struct style *s, uint64_t bytes)
{
	double nodes = (double)bytes / s->stride;
	double ns = bytes <= 256 * KIB ? b->pace.ns_per_near_load : b->pace.ns_per_far_load;

	return nodes * b->pace.ns_per_node + (nodes + 11.0 * LOADS_FEWEST) * ns;
}

static void add(struct bench *b, unsigned style, uint64_t asked, size_t page, unsigned drop_order,
	const char *level)
{
	const struct style *s = &styles[style];
	uint64_t grain = s == &styles[PADDED] ? b->node_bytes : s->stride;
	uint64_t bytes = asked / grain * grain;
	struct row row = row_new(s->variant, &unit_ns_load, drop_order, prepare);

	row.page_bytes = page;
	row.level = level;
	*row_spec(&row, struct chase) = (struct chase){ style, bytes };
	row.cost_ns = cost(b, s, asked);
	row_param(&row, "bytes", (double)bytes);
	if (s->step)
		row_param(&row, "stride_bytes", (double)(s->step * NODE));
	plan_add(b, &row);
}

/* The main curve: every second size of an octave is needed less than the octaves themselves. */
static void plan_curve(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep(b, KIB, sweep_limit(b), b->node_bytes, sizes);

	for (unsigned i = 0; i < n; i++)
		add(b, PADDED, sizes[i], common_page(b), DROP_LAST, NULL);
}

static void plan_level(struct bench *b, const struct level_size *p)
{
	static const size_t pages[] = { PAGE_4K, PAGE_2M, PAGE_1G };
	bool memory = p == &b->levels[LEVEL_MEMORY];

	for (unsigned i = 0; i < 3; i++)
		if (b->room->facts.pages & pages[i])
			add(b, PADDED, p->bytes, pages[i], memory ? DROP_LATE : DROP_MIDDLE,
				p->name);
	for (unsigned style = POINTER; style <= STRIDE; style++)
		add(b, style, p->bytes, common_page(b), memory ? DROP_EARLY : DROP_MIDDLE, p->name);
}

/* A page size that this machine does not have: its curve is one skip. */
static int prepare_without_page(struct bench *b, const struct row *row, struct job *job)
{
	return job_skip(job, "no pages of %llu KiB here",
		(unsigned long long)(*row_spec(row, uint64_t) / KIB));
}

static void add_without_page(struct bench *b, size_t page)
{
	struct row row = row_new(latency_curve, &unit_ns_load, DROP_FIRST, prepare_without_page);

	*row_spec(&row, uint64_t) = page;
	plan_add(b, &row);
}

/* The whole curve again with each other page size: what the TLB adds at every size. */
static void plan_pages(struct bench *b)
{
	static const size_t pages[] = { PAGE_4K, PAGE_2M, PAGE_1G };
	uint64_t sizes[SIZES_MOST];
	bool small_whole = b->opt->profile == PROFILE_FULL;

	for (unsigned p = 0; p < 3; p++) {
		unsigned n = (p == 0 && small_whole ? sweep : sweep_coarse)(b, 16 * KIB,
			sweep_limit(b), b->node_bytes, sizes);

		if (pages[p] == common_page(b))
			continue;
		if (!(b->room->facts.pages & pages[p]))
			add_without_page(b, pages[p]);
		for (unsigned i = 0; i < n && (b->room->facts.pages & pages[p]); i++)
			add(b, PADDED, sizes[i], pages[p], DROP_FIRST, NULL);
	}
}

/*
 * Groot Koerkamp's seven methods over the whole sweep, five of them with small pages; what he calls
 * aligned, two of these, has large ones.
 */
static void plan_methods(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = sweep_coarse(b, KIB, sweep_limit(b), NODE, sizes);
	size_t large = b->room->facts.pages & PAGE_2M ? PAGE_2M : common_page(b);

	for (unsigned i = 0; i < n; i++) {
		for (unsigned style = METHOD_CHECKED; style <= METHOD_RAW_PADDED; style++)
			add(b, style, sizes[i], PAGE_4K, DROP_FIRST, NULL);
		if (large == PAGE_4K)
			continue;
		add(b, METHOD_PADDED, sizes[i], large, DROP_FIRST, NULL);
		add(b, METHOD_RAW_PADDED, sizes[i], large, DROP_FIRST, NULL);
	}
}

void probe_latency_plan_first(struct bench *b)
{
	plan_curve(b);
}

void probe_latency_plan_edges(struct bench *b)
{
	double next[LATENCY_SIZES];
	unsigned n = latency_next_sizes(b, next);

	for (unsigned i = 0; i < n; i++)
		add(b, PADDED, (uint64_t)next[i], common_page(b), DROP_LAST, NULL);
}

void probe_latency_plan(struct bench *b)
{
	for (unsigned i = 0; i < LEVELS; i++)
		if (b->levels[i].bytes)
			plan_level(b, &b->levels[i]);
	latency_lists_plan(b);
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	plan_pages(b);
	plan_methods(b);
}

void probe_latency_find_first(struct bench *b)
{
	latency_find_levels(b);
}

void probe_latency_find(struct bench *b)
{
	latency_find(b);
}

/* With its core cycles; NULL: not measured, or the core clock is not known. */
static const struct result *in_l1(const struct bench *b, unsigned style)
{
	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (is_variant(b, r, styles[style].variant) && is_level(r, LEVEL_L1) &&
			r->page_bytes == common_page(b) && r->cycles > 0)
			return r;
	}
	return NULL;
}

void probe_latency_meaning(struct bench *b)
{
	const struct result *pointer = in_l1(b, POINTER), *index = in_l1(b, INDEX);
	const struct result *checked = in_l1(b, CHECKED);

	if (pointer && index && checked)
		say(b,
			"  In L1, an index costs %+.1f core cycles a load over a pointer, checked "
			"%+.1f.\n",
			index->cycles - pointer->cycles, checked->cycles - pointer->cycles);
	latency_lists_meaning(b);
}
