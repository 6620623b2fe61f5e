/* SPDX-License-Identifier: MIT */
/* Associativity of L1: a chase over n lines that all belong to the same set. */
#include "probes/probe.h"
#include "engine/claims.h"
#include "lib/math.h"

#define LOADS     (4 * 1024)
#define WAYS_MOST 32
#define WAYS_RISE 1.05 /* cost over that of one line: above it, the set does not hold all lines */

/*
 * Lines 64 KiB apart, in a large page, belong to one set of any L1 whose ways are no larger. Their
 * pages may belong to one set of the TLB, where a hypervisor backs the large page with small ones
 * (seen on an Emerald Rapids VM): same-pages has the same pages and a set for each line, and a step
 * there takes the word from same-set. Then, and in small pages, there is same-index: lines 4 KiB
 * apart, which agree in the bits that are the same in virtual and physical addresses.
 */
#define APART (64 * KIB)

enum { SAME_SET, SAME_PAGES, SAME_INDEX, SPACINGS };

static const struct spacing {
	const char *variant;
	uint64_t stride;
	uint64_t least_page;
} spacings[SPACINGS] = {
	[SAME_SET] = { "same-set", APART, PAGE_2M },
	[SAME_PAGES] = { "same-pages", APART + 64, PAGE_2M },
	[SAME_INDEX] = { "same-index", PAGE_4K, PAGE_4K },
};

/* Parameters of a row. */
struct set_lines {
	unsigned spacing, ways;
};

static void refresh(struct bench *b, struct job *job)
{
	struct chain *c = job->priv;

	job->args[0] = chain_at(c, CHAIN_POINTER, c->position);
	c->position = (c->position + LOADS) % c->nodes;
	job->expect = chain_at(c, CHAIN_POINTER, c->position);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct set_lines *spec = row_spec(row, struct set_lines);
	const struct spacing *spacing = &spacings[spec->spacing];
	struct chain *c = job_alloc(b, job, sizeof *c);

	if (!c)
		return -1;
	if (job->arena.page_bytes < spacing->least_page)
		return job_skip(job, "needs pages of 2 MiB");
	if (chain_layout(c, &job->arena, spec->ways, spacing->stride))
		return job_too_large(job, spec->ways * spacing->stride);
	chain_order_random(c, &b->random);
	if (job_link(b, job, c, CHAIN_POINTER))
		return -1;
	const uint64_t args[LOOP_ARGS] = { (uintptr_t)c->base, LOADS / 16 };

	job_call(job, loop_chase, 1, args);
	job->refresh = refresh;
	job->priv = c;
	job->ops = LOADS;
	return 0;
}

static void add(struct bench *b, unsigned spacing, unsigned ways)
{
	struct row row = row_new(spacings[spacing].variant, &unit_ns_load, ANSWER_WAYS, prepare);

	row.page_bytes = common_page(b);
	*row_spec(&row, struct set_lines) = (struct set_lines){ spacing, ways };
	row.cost_ns = 12 * LOADS * 4 * b->pace.ns_per_near_load + 20 * b->pace.ns_per_call;
	row_param(&row, "ways", ways);
	row_param(&row, "stride_bytes", (double)spacings[spacing].stride);
	plan_add(b, &row);
}

static void ways_plan(struct bench *b)
{
	for (unsigned i = 0; i < SPACINGS; i++)
		for (unsigned ways = 1; ways <= WAYS_MOST; ways++)
			add(b, i, ways);
}

/*
 * The most lines that cost no more than one does. Where a set replaces at random, one line more
 * than it holds costs little, and the steepest rise comes later; but every larger number costs
 * more.
 */
static struct estimate before_rise(const struct curve *c, const struct stair *l)
{
	const struct curve_point *p = c->point;
	struct estimate e = l->edge;
	unsigned at = c->n - 1;

	if (e.reason)
		return e;
	while (at > 1 && math_median_of_three(p[at - 2].y, p[at - 1].y, p[at].y) > WAYS_RISE * l->y)
		at--;
	e.value = e.low = p[at - 1].x;
	e.high = p[at].x;
	return e;
}

/* Lines of a spacing before its first step. */
static struct estimate ways_of(struct bench *b, struct reader *reader, unsigned spacing,
	struct curve *c)
{
	const struct pick pick = { .variant = spacings[spacing].variant, .x = "ways" };
	struct estimate e = not_resolved("no step up to the most lines");
	struct staircase s;

	if (!infer_staircase(c->point, take_curve(reader, &pick, c), &cache_rules, &s))
		e.reason = s.reason;
	else if (s.rising || s.count > 1)
		e = edge_of(reader, c, before_rise(c, &s.level[0]));
	return e;
}

static bool was_measured(const struct bench *b, unsigned spacing)
{
	return find_row(b, spacings[spacing].variant, NULL, 0) != NULL;
}

/* same-set, unless its pages make a step without its sets, or there were no large pages. */
static void ways_find(struct bench *b, struct found_values *f)
{
	struct curve *c = row_alloc(b, sizeof *c);
	struct estimate of[SPACINGS];
	struct cache_claim claim;
	bool index;

	if (!c)
		return;
	for (unsigned i = 0; i < SPACINGS; i++)
		of[i] = was_measured(b, i) ? ways_of(b, &f->reader, i, c)
					   : not_resolved(NOT_MEASURED);
	index = (of[SAME_SET].reason || !of[SAME_PAGES].reason) && was_measured(b, SAME_INDEX);
	found(f, VALUE_l1d_ways, of[index ? SAME_INDEX : SAME_SET],
		index ? "ways same-index" : "ways same-set, same-pages")
		->claimed =
		claims_data_cache(b->room, 1, &claim) && claim.ways ? claim.ways : NOT_A_NUMBER;
}

const struct hooks probe_ways = {
	.plan = ways_plan,
	.find = ways_find,
};
