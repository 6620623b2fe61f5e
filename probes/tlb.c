/* SPDX-License-Identifier: MIT */
/*
 * What address translation costs: a chase over one line in each of n pages, minus the same number
 * of lines side by side.
 */
#include "probes/probe.h"

#include "engine/chain.h"
#include "engine/claims.h"
#include "lib/math.h"

#define LOADS_FEWEST  (16 * 1024)
#define PAGES_MOST    16384
#define LINE          64
#define CONTROL_BYTES (16 * KIB) /* of the control, visited at a time */
#define CLOCK_ROUNDS  32         /* of 64 adds, beside each sample: the core clock */

enum { COST, SPREAD, CONTROL, VARIANTS };

static const char *const variants[VARIANTS] = { "cost", "spread", "control" };

/* What a row measures. */
struct translations {
	unsigned variant;
	uint64_t pages;
};

struct pages {
	struct chain spread, control;
	uint64_t loads;
};

/* One stretch of one of the chains. -1: the proof failed. */
static int chase(struct bench *b, struct job *job, struct chain *c, double *ticks)
{
	struct pages *p = job->priv;
	uint64_t end = c->position + p->loads;
	const uint64_t args[LOOP_ARGS] = { chain_at(c, CHAIN_POINTER, c->position), p->loads / 16 };
	const uint64_t none[LOOP_ARGS] = { args[0], 0 };
	double overhead = (double)call_loop(b, loop_chase, none).ticks;
	struct timed t = call_loop(b, loop_chase, args);

	c->position = end % c->nodes;
	*ticks = (double)t.ticks - overhead;
	if (t.value == chain_at(c, CHAIN_POINTER, end))
		return 0;
	return job_disproved(job, "the chase ended at %#llx, plain C says %#llx",
		(unsigned long long)t.value, (unsigned long long)chain_at(c, CHAIN_POINTER, end));
}

static double core_hz(struct bench *b)
{
	const uint64_t args[LOOP_ARGS] = { CLOCK_ROUNDS };
	double ticks = (double)call_loop(b, loop_add_chain, args).ticks - b->adds_overhead;

	return ticks > 0 ? CLOCK_ROUNDS * 64 / ticks * b->env->facts.tsc_hz : 0;
}

/* Both chains in turn within one sample, so that a change of the machine's mood meets both. */
static int sampler(struct bench *b, struct job *job, struct sample *s)
{
	struct pages *p = job->priv;
	double spread = 0, control = 0;
	unsigned variant = row_spec(job->row, struct translations)->variant;

	if (variant != CONTROL && chase(b, job, &p->spread, &spread))
		return -1;
	if (variant != SPREAD && chase(b, job, &p->control, &control))
		return -1;
	double ticks = variant == COST ? spread - control : spread + control;

	s->value = ticks_to_ns(b, ticks) / (double)p->loads;
	s->core_hz = core_hz(b);
	return 0;
}

/*
 * Nodes one page and one line apart: every page has one at most, and they stand at all the lines
 * of a page in turn, so that they use all cache sets alike. In a large page also 4 KiB further on:
 * a hypervisor may back it with small ones, whose entries would all fall into one set of the TLB
 * (seen on an Emerald Rapids VM: a step at 6 pages, the ways of its first TLB).
 */
static uint64_t apart(uint64_t page)
{
	return page + LINE + (page > PAGE_4K ? PAGE_4K : 0);
}

/*
 * The control follows the spread nodes, closely packed, and visits a few pages at a time: it must
 * not pay for its own translation. Nor may it gain by a prefetcher: it never goes on to the next
 * line, but to one of the next page. Nodes that share no pair of lines, an odd number of lines
 * apart: it uses all cache sets, as the spread nodes do.
 */
static int build(struct bench *b, struct job *job, struct pages *p, uint64_t nodes, uint64_t page)
{
	struct arena rest = job->arena;
	unsigned node = b->node_bytes | LINE;
	uint64_t taken = (nodes * apart(page) + PAGE_4K - 1) / PAGE_4K * PAGE_4K;

	if (chain_layout(&p->spread, &job->arena, nodes, apart(page)))
		return -1;
	rest.base += taken;
	rest.bytes -= chain_index_bytes(nodes);
	if (rest.bytes < taken)
		return -1;
	rest.bytes -= taken;
	if (chain_layout(&p->control, &rest, nodes, node))
		return -1;
	chain_order_random(&p->spread, &b->random);
	chain_order_blocks(&p->control, CONTROL_BYTES / node, PAGE_4K / node + 3);
	chain_link(&p->spread, CHAIN_POINTER);
	chain_link(&p->control, CHAIN_POINTER);
	return 0;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	struct pages *p = job_alloc(b, job, sizeof *p);
	uint64_t nodes = row_spec(row, struct translations)->pages;

	if (!p)
		return -1;
	if (job->arena.page_bytes != row->page_bytes)
		return job_skip(job, "pages of %llu KiB cannot be had",
			(unsigned long long)(row->page_bytes / KIB));
	if (build(b, job, p, nodes, row->page_bytes))
		return job_too_large(job, nodes * apart(row->page_bytes));
	p->loads = nodes < LOADS_FEWEST ? LOADS_FEWEST : (nodes + 15) / 16 * 16;
	job->priv = p;
	job->sampler = sampler;
	job->warm_calls = 2;
	return 0;
}

static double cost(const struct bench *b, uint64_t nodes, uint64_t page)
{
	double loads = nodes < LOADS_FEWEST ? LOADS_FEWEST : (double)nodes;
	double ns = nodes <= 1024 ? b->pace.ns_per_near_load * 2 : b->pace.ns_per_far_load;

	return 2 * (double)nodes *
		(b->pace.ns_per_node + page / PAGE_4K * b->pace.ns_per_near_load) +
		2 * 12 * loads * ns;
}

static void add(struct bench *b, unsigned variant, uint64_t nodes, size_t page, unsigned rank)
{
	struct row row = row_new(variants[variant], &unit_ns_load, rank, prepare);

	row.page_bytes = page;
	*row_spec(&row, struct translations) = (struct translations){ variant, nodes };
	row.cost_ns = cost(b, nodes, page);
	row_param(&row, "pages", (double)nodes);
	plan_add(b, &row);
}

/* 4 to 16384 pages: 1, 2 or 4 per octave, by profile, and as many as the arena holds. */
static void plan_pages(struct bench *b, size_t page, unsigned rank)
{
	double fractions[SWEEP_MOST];
	unsigned points = sweep_fractions(b, fractions);
	uint64_t last = 0;

	for (uint64_t octave = 4; octave <= PAGES_MOST; octave *= 2)
		for (unsigned i = 0; i < points; i++) {
			uint64_t nodes = (uint64_t)((double)octave * fractions[i] + 0.5);

			if (nodes == last || nodes > PAGES_MOST)
				continue;
			last = nodes;
			add(b, COST, nodes, page, rank);
			add(b, SPREAD, nodes, page, rank + 2);
			add(b, CONTROL, nodes, page, rank + 2);
			if (nodes * apart(page) > b->arena.bytes)
				return; /* this one says so; larger ones would too */
		}
}

void probe_tlb_plan(struct bench *b)
{
	plan_pages(b, PAGE_4K, RANK_MAIN);
	if (b->env->facts.pages & PAGE_2M)
		plan_pages(b, PAGE_2M, RANK_USEFUL);
}

/* What a page size's translation is called in the result, first level to walk. */
struct names {
	size_t page_bytes;
	unsigned claim; /* TLB_4K ... */
	const char *first, *second, *hit, *walk, *rests_on;
};

#define HIT_CONFIDENCE  0.9 /* a whole plateau */
#define WALK_CONFIDENCE 0.8 /* one point of a plateau */

/*
 * Three plateaus: a hit in the first level, a hit in the second, a walk. If there are fewer, which
 * one is missing is not known.
 */

static void find_pages(struct bench *b, const struct names *n, struct curve *c)
{
	const struct pick pick = {
		.variant = variants[COST],
		.x = "pages",
		.page_bytes = n->page_bytes,
		.cycles = true,
	};
	struct estimate first, second, hit, walk;
	struct staircase s;

	first = second = hit = walk = not_resolved(NOT_MEASURED);
	if (take_curve(b, &pick, c)) {
		first = second = hit = walk = not_resolved("no second rise");
		if (!infer_staircase(c->point, c->n, &entry_rules, &s))
			first = second = hit = walk = not_resolved(s.reason);
		else if (s.count > 1 || s.rising)
			first = s.level[0].edge;
		if (s.count > 2 || (s.count == 2 && s.rising)) {
			second = s.level[1].edge;
			hit = plain_estimate(s.level[1].y, HIT_CONFIDENCE);
		}
		if (s.count >
			2) /* its first point: more pages have more lines, which miss caches */
			walk = plain_estimate(c->point[s.level[2].first].y, WALK_CONFIDENCE);
	}
	found(b, n->first, "entries", first, claims_tlb_entries(b->env, 1, n->claim), n->rests_on);
	found(b, n->second, "entries", second, claims_tlb_entries(b->env, 2, n->claim),
		n->rests_on);
	found(b, n->hit, "cycles", hit, NOT_A_NUMBER, n->rests_on);
	found(b, n->walk, "cycles", walk, NOT_A_NUMBER, n->rests_on);
}

void probe_tlb_find(struct bench *b)
{
	static const struct names names[] = {
		{ PAGE_4K, TLB_4K, "dtlb_4k_entries", "stlb_entries", "stlb_hit_cycles",
			"walk_cycles", "tlb cost over pages, 4 KiB pages" },
		{ PAGE_2M, TLB_2M, "dtlb_2m_entries", "stlb_2m_entries", "stlb_2m_hit_cycles",
			"walk_2m_cycles", "tlb cost over pages, 2 MiB pages" },
	};
	struct curve *c = row_alloc(b, sizeof *c);

	for (unsigned i = 0; c && i < 2; i++)
		find_pages(b, &names[i], c);
}
