/* SPDX-License-Identifier: MIT */
/*
 * Latency: dependent loads along one cycle through a buffer.
 *
 * Definition (README.md): mean over 64 Ki dependent loads, or as many as take 0.4 ms, after a
 * full walk of the cycle, minus the empty loop, per load.
 */
#include "probes/latency/flushed.h"
#include "probes/latency/main_curve.h"
#include "probes/probe.h"

#include "engine/claims.h"
#include "probes/lanes.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"

#define LOADS (64 * 1024) /* of a call, until it is known how long they take */
#define NODE  64

/* Variants with their loops. start, count: the index of this argument of the loop. */
static const struct chase_style {
	const char *variant;
	loop_fn *loop;
	unsigned stride, start, count;
	enum chain_link kind;
	uint64_t step; /* nodes from one to the next, 0: random order */
} styles[] = {
	{ MAIN_CURVE, loop_chase, NODE, 0, 1, CHAIN_POINTER },
	{ "method-checked", loop_method_checked, 8, 1, 2, CHAIN_INDEX },
	{ "method-unchecked", loop_method_unchecked, 8, 1, 2, CHAIN_INDEX },
	{ "method-padded", loop_method_padded, NODE, 1, 2, CHAIN_INDEX },
	{ "method-raw", loop_method_raw, 8, 0, 1, CHAIN_POINTER },
	{ "method-raw-padded", loop_method_raw, NODE, 0, 1, CHAIN_POINTER },
	{ "pointer", loop_chase, 8, 0, 1, CHAIN_POINTER },
	{ "index", loop_chase_index, 8, 1, 2, CHAIN_INDEX },
	{ "index-checked", loop_chase_index_checked, 8, 1, 2, CHAIN_INDEX },
	{ "index-padded", loop_chase_index_padded, NODE, 1, 2, CHAIN_INDEX },
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
static bool counts_loads(const struct chase_style *s)
{
	return s >= &styles[METHOD_CHECKED] && s <= &styles[METHOD_RAW_PADDED];
}

/* Parameters of a row. */
struct chase {
	unsigned style;
	uint64_t bytes;
};

struct chain_walk {
	struct chain chain;
	const struct chase_style *style;
	uint64_t loads;     /* per call, a multiple of 16 */
	uint64_t far_loads; /* that warm up in place of a full walk, 0: none do */
};

/* The next stretch of the cycle, and where plain C says that it ends. */
static void refresh(struct bench *b, struct job *job)
{
	struct chain_walk *w = job->priv;
	struct chain *c = &w->chain;
	uint64_t end = c->position + w->loads;

	job->args[w->style->start] = chain_at(c, w->style->kind, c->position);
	job->expect = chain_at(c, w->style->kind, end);
	c->position = end % c->nodes;
}

/* Loads of a call, in groups of 16. */
static void resize(struct bench *b, struct job *job, double loads)
{
	struct chain_walk *w = job->priv;

	w->loads = (uint64_t)math_clamp(loads / 16, 1, LOADS / 16) * 16;
	job->args[w->style->count] = counts_loads(w->style) ? w->loads : w->loads / 16;
	job->ops = (double)w->loads;
}

/*
 * Far beyond the caches, no line survives until it comes again: some of the cycle is walked, by
 * many walkers at once, and nothing of it is left. Where that turns out wrong, a full walk follows.
 */
static int warm_far(struct bench *b, struct job *job)
{
	struct chain_walk *w = job->priv;
	int gone = lanes_walk_far(b, job, &w->chain, w->far_loads);

	if (gone > 0) {
		job->warm_calls = 1;
		job->flushed = true;
	}
	return gone < 0 ? -1 : 0;
}

static void set_arguments(struct job *job, struct chain_walk *w)
{
	const struct chase_style *s = w->style;
	uint64_t args[LOOP_ARGS] = { 0 };

	if (s->kind == CHAIN_INDEX)
		args[0] = (uint64_t)(uintptr_t)w->chain.base;
	args[s->count] = counts_loads(s) ? w->loads : w->loads / 16;
	if (s->loop == loop_chase_index_checked || s->loop == loop_method_checked)
		args[3] = w->chain.nodes;
	job_call(job, s->loop, s->count, args);
	job->warm = w->far_loads ? warm_far : NULL;
	job->refresh = refresh;
	job->resize = resize;
	job->priv = w;
	job->ops = (double)w->loads;
	job->warm_calls = (unsigned)((w->chain.nodes + w->loads - 1) / w->loads);
}

/*
 * The main curve uses all lines, so that its sizes are those that caches hold. Lines that come
 * together are visited as far from each other as can be, so that none is found by chance.
 */
static void order(struct bench *b, struct chain *c, const struct chase_style *s)
{
	if (s->step)
		chain_order_step(c, s->step);
	else if (s == &styles[PADDED] && b->node_bytes > NODE)
		chain_order_apart(c, b->node_bytes / NODE, &b->random);
	else
		chain_order_random(c, &b->random);
}

/*
 * Loads of the warm-up in place of a full walk; 0: none. The other lines that come with one come
 * again earlier than it does. The walkers follow pointers only.
 */
static uint64_t far_loads_of(struct bench *b, const struct chase_style *s, uint64_t bytes)
{
	uint64_t lines = s == &styles[PADDED] ? b->node_bytes / NODE : 1;

	return s->kind == CHAIN_POINTER ? lanes_far_loads(b, bytes / lines) : 0;
}

/* Add what [R] says of a padded index: its core cycles less those of one without padding. */
static void padding_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	const struct result *own = &b->results[b->nresults - 1];

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (is_variant(b, r, styles[METHOD_UNCHECKED].variant) &&
			r->row->page_bytes == own->row->page_bytes &&
			row_get(r->row, "bytes", 0) == row_get(own->row, "bytes", 0) &&
			r->core_hz > 0 && own->core_hz > 0) {
			jsonl_number(l, "padding_cycles", own->cycles - r->cycles);
			return;
		}
	}
}

static int prepare_chase(struct bench *b, const struct row *row, struct job *job)
{
	const struct chase *spec = row_spec(row, struct chase);
	struct chain_walk *w = job_alloc(b, job, sizeof *w);
	const struct chase_style *s = &styles[spec->style];
	uint64_t nodes = spec->bytes / s->stride;

	if (!w)
		return -1;
	w->style = s;
	w->loads = LOADS;
	w->far_loads = far_loads_of(b, s, spec->bytes);
	if (chain_layout(&w->chain, &job->arena, nodes, s->stride))
		return job_too_large(job, spec->bytes);
	order(b, &w->chain, s);
	if (job_link(b, job, &w->chain, s->kind))
		return -1;
	set_arguments(job, w);
	job->extra = s == &styles[METHOD_PADDED] ? padding_extra : NULL;
	return 0;
}

#define WALKERS_SPEED                                                                              \
	4 /* of twelve walkers over one, at least: misses that are under way at once */

/* Building the chain, one walk or what stands for it, calls to warm up, and the fewest samples. */
static double chase_cost(struct bench *b, const struct chase_style *s, uint64_t bytes)
{
	double nodes = (double)bytes / s->stride;
	double ns = bytes <= 256 * KIB ? b->pace.ns_per_near_load : b->pace.ns_per_far_load;
	double calls = 4 + 7 * sample_part(LOADS * ns);
	double far = (double)far_loads_of(b, s, bytes);
	double walk = far > 0 ? far / WALKERS_SPEED : nodes;

	return nodes * b->pace.ns_per_node + (walk + calls * LOADS) * ns;
}

static void plan_chase(struct bench *b, unsigned style, uint64_t asked, size_t page,
	enum answer answer, const char *level, row_adder *add)
{
	const struct chase_style *s = &styles[style];
	uint64_t grain = s == &styles[PADDED] ? b->node_bytes : s->stride;
	uint64_t bytes = asked / grain * grain;
	struct row row = row_new(s->variant, &unit_ns_load, answer, prepare_chase);

	row.page_bytes = page;
	row.level = level;
	*row_spec(&row, struct chase) = (struct chase){ style, bytes };
	row.cost_ns = chase_cost(b, s, asked);
	row_param(&row, "bytes", (double)bytes);
	if (s->step)
		row_param(&row, "stride_bytes", (double)(s->step * NODE));
	add(b, &row);
}

/* The main curve: every second size of an octave is needed less than the octaves themselves. */
static void plan_curve(struct bench *b)
{
	uint64_t sizes[SIZES_MOST];
	unsigned n = main_curve_sizes(b, sizes);

	for (unsigned i = 0; i < n; i++)
		plan_chase(b, PADDED, sizes[i], common_page(b), ANSWER_LATENCY, NULL, plan_add);
}

static void plan_level(struct bench *b, const struct level_size *p)
{
	static const size_t pages[] = PAGE_SIZES;
	bool memory = p == &b->levels[LEVEL_MEMORY];

	for (unsigned i = 0; i < 3; i++)
		if (b->room->facts.pages & pages[i])
			plan_chase(b, PADDED, p->bytes, pages[i],
				pages[i] == PAGE_1G                     ? ANSWER_PAGES_1G
					: pages[i] == PAGE_4K || memory ? ANSWER_LATENCY_4K
									: ANSWER_LATENCY,
				p->name, plan_add);
	for (unsigned style = POINTER; style <= STRIDE; style++)
		plan_chase(b, style, p->bytes, common_page(b),
			memory ? ANSWER_FAR_ACCESS : ANSWER_ACCESS, p->name, plan_add);
}

/* A page size that this machine does not have: its curve is one skip. */
static int prepare_without_page(struct bench *b, const struct row *row, struct job *job)
{
	return job_skip(job, "no pages of %llu KiB here",
		(unsigned long long)(*row_spec(row, uint64_t) / KIB));
}

/* One skip stands for all sizes. */
static void add_without_page(struct bench *b, size_t page)
{
	struct row row =
		row_new(MAIN_CURVE, &unit_ns_load, ANSWER_LATENCY_PAGES, prepare_without_page);

	*row_spec(&row, uint64_t) = page;
	row_param(&row, "page_bytes", (double)page);
	plan_add(b, &row);
}

/* The whole curve again with each other page size: what the TLB adds at every size. */
static void plan_pages(struct bench *b)
{
	static const size_t pages[] = PAGE_SIZES;
	uint64_t sizes[SIZES_MOST];
	bool small_whole = b->opt->profile == PROFILE_FULL;

	for (unsigned p = 0; p < 3; p++) {
		unsigned n = (p == 0 && small_whole ? sweep : sweep_coarse)(b, 16 * KIB,
			sweep_limit(b), b->node_bytes, sizes);

		if (pages[p] == common_page(b))
			continue;
		if (!(b->room->facts.pages & pages[p]) && n)
			add_without_page(b, pages[p]);
		for (unsigned i = 0; i < n && (b->room->facts.pages & pages[p]); i++)
			plan_chase(b, PADDED, sizes[i], pages[p], ANSWER_LATENCY_PAGES, NULL,
				plan_add);
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
			plan_chase(b, style, sizes[i], PAGE_4K, ANSWER_METHODS, NULL, plan_add);
		if (large == PAGE_4K)
			continue;
		plan_chase(b, METHOD_PADDED, sizes[i], large, ANSWER_METHODS, NULL, plan_add);
		plan_chase(b, METHOD_RAW_PADDED, sizes[i], large, ANSWER_METHODS, NULL, plan_add);
	}
}

/*
 * Lemire's linked list [L]: a million nodes { data, next } of 16 bytes, each allocated after the
 * one before and put in front of it, so that the list is walked against the order of allocation;
 * its length is counted. One list, and two at once; and the same with the nodes in random order.
 */

#define LIST_NODES 1000000 /* of each list */

static const struct lists {
	const char *variant;
	unsigned count; /* lists walked at once */
	bool shuffled;
	loop_fn *loop;
	bool small_pages; /* those that the source's list has */
} list_kinds[] = {
	{ "list-one", 1, false, loop_list_one },
	{ "list-two", 2, false, loop_list_two },
	{ "list-shuffled-one", 1, true, loop_list_one },
	{ "list-shuffled-two", 2, true, loop_list_two },
	{ "list-one-4k", 1, false, loop_list_one, true },
	{ "list-two-4k", 2, false, loop_list_two, true },
};

#define LIST_KINDS (sizeof list_kinds / sizeof *list_kinds)

/* Parameters of a row. */
struct list_spec {
	const struct lists *lists;
};

/* The source's node: an integer of the machine's word, and the next node. */
struct list_node {
	uint64_t data;
	struct list_node *next;
};

static uint64_t lists_bytes(const struct lists *l)
{
	return (uint64_t)l->count * LIST_NODES * sizeof(struct list_node);
}

/* The numbers 0 .. n - 1 in random order. */
static void random_order(struct random *r, uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = (uint32_t)random_below(r, i), swapped = order[i - 1];

		order[i - 1] = order[k];
		order[k] = swapped;
	}
}

/* Each node in front of the one before; order NULL: as they were allocated. Returns the head. */
static struct list_node *build_list(struct list_node *nodes, const uint32_t *order)
{
	struct list_node *head = NULL;

	for (uint32_t i = 0; i < LIST_NODES; i++) {
		struct list_node *node = &nodes[order ? order[i] : i];

		*node = (struct list_node){ i, head };
		head = node;
	}
	return head;
}

static void lists_extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	jsonl_number(l, "ms_in_all", b->results[b->nresults - 1].median * job->ops / 1e6);
}

static int prepare_lists(struct bench *b, const struct row *row, struct job *job)
{
	const struct lists *l = row_spec(row, struct list_spec)->lists;
	struct list_node *nodes = (struct list_node *)job->arena.base;
	uint64_t index = l->shuffled ? LIST_NODES * sizeof(uint32_t) : 0;
	uint32_t *order = l->shuffled ? (uint32_t *)(job->arena.base + lists_bytes(l)) : NULL;
	uint64_t args[LOOP_ARGS] = { 0 };

	if (lists_bytes(l) + index > job->arena.bytes)
		return job_too_large(job, lists_bytes(l) + index);
	for (unsigned i = 0; i < l->count; i++) {
		if (order)
			random_order(&b->random, order, LIST_NODES);
		args[i] = (uintptr_t)build_list(nodes + (uint64_t)i * LIST_NODES, order);
	}
	job_call(job, l->loop, 0, args); /* its empty twin walks a list of no nodes */
	job->expect = LIST_NODES;
	job->extra = lists_extra;
	job->ops = (double)LIST_NODES * l->count;
	return 0;
}

/* Building, and ten walks. */
static double lists_cost(const struct bench *b, const struct lists *l)
{
	double nodes = (double)LIST_NODES * l->count;
	double step = l->shuffled ? b->pace.ns_per_far_load : b->pace.ns_per_near_load;

	return (double)lists_bytes(l) * b->pace.ns_per_byte +
		(l->shuffled ? nodes * b->pace.ns_per_node : 0) + 10 * nodes * step;
}

static void plan_lists(struct bench *b)
{
	for (unsigned i = 0; i < LIST_KINDS; i++) {
		const struct lists *l = &list_kinds[i];
		struct row row = row_new(l->variant, &unit_ns_element, ANSWER_LISTS, prepare_lists);

		row.page_bytes = l->small_pages ? PAGE_4K : common_page(b);
		row_spec(&row, struct list_spec)->lists = l;
		row.cost_ns = lists_cost(b, l);
		row_param(&row, "bytes", (double)lists_bytes(l));
		row_param(&row, "elements", LIST_NODES);
		plan_add(b, &row);
	}
}

static double list_median(const struct bench *b, unsigned kind)
{
	const struct result *r = find_row(b, list_kinds[kind].variant, NULL, 0);

	return r ? r->median : 0;
}

static void say_lists(struct bench *b)
{
	for (unsigned i = 0; i < LIST_KINDS; i += 2) {
		double one = list_median(b, i), two = list_median(b, i + 1);

		if (one > 0 && two > 0)
			say(b, "  A list of a million nodes%s: %.2f ms, two at once %.2f ms.\n",
				list_kinds[i].shuffled              ? ", shuffled"
					: list_kinds[i].small_pages ? ", 4 KiB pages"
								    : "",
				one * LIST_NODES / 1e6, two * 2 * LIST_NODES / 1e6);
	}
}

/* The flushed rows come first: they are cheap, and without them page walks look like levels. */
static void latency_plan_first(struct bench *b)
{
	flushed_plan(b);
	plan_curve(b);
}

/* Plans sizes between those, and beyond a cache that is larger than CPUID claims. */
static void latency_plan_edges(struct bench *b, struct reader *reader)
{
	double next[MAIN_CURVE_NEXT];
	uint64_t more[SIZES_MOST];
	unsigned n = main_curve_next(b, reader, next), beyond = main_curve_beyond(b, reader, more);

	for (unsigned i = 0; i < n; i++)
		plan_chase(b, PADDED, (uint64_t)next[i], common_page(b), ANSWER_LATENCY, NULL,
			plan_between);
	for (unsigned i = 0; i < beyond; i++)
		plan_chase(b, PADDED, more[i], common_page(b), ANSWER_LATENCY, NULL, plan_between);
}

static void latency_plan(struct bench *b)
{
	for (unsigned i = 0; i < LEVELS; i++)
		if (b->levels[i].bytes)
			plan_level(b, &b->levels[i]);
	plan_lists(b);
	if (b->opt->profile == PROFILE_SMOKE)
		return;
	plan_pages(b);
	plan_methods(b);
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

static void latency_meaning(struct bench *b)
{
	const struct result *pointer = in_l1(b, POINTER), *index = in_l1(b, INDEX);
	const struct result *checked = in_l1(b, CHECKED);

	if (pointer && index && checked)
		say(b,
			"  In L1, an index costs %+.1f core cycles a load over a pointer, checked "
			"%+.1f.\n",
			index->cycles - pointer->cycles, checked->cycles - pointer->cycles);
	say_lists(b);
}

const struct hooks probe_latency = {
	.plan_first = latency_plan_first,
	.find_first = main_curve_find_first,
	.plan = latency_plan,
	.plan_edges = latency_plan_edges,
	.find = main_curve_find,
	.meaning = latency_meaning,
};
