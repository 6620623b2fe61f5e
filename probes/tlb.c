/* SPDX-License-Identifier: MIT */
/*
 * What address translation costs: a chase over one line in each of n pages, minus the same number
 * of lines side by side.
 */
#include "probes/probe.h"

#include "engine/core_clock.h"
#include "lib/math.h"
#include "probes/tlb_chains.h"
#include "probes/tlb_find.h"

#define LOADS_FEWEST 4096
#define WARM_LAPS    3 /* a pseudo-LRU cache keeps some lines of the other chain after one */
#define PAGES_MOST   16384
#define GROUPS_LEAST 512 /* of CHAIN_GROUP pages: a first level, at least; else side by side */

struct pages {
	struct tlb_chains chains;
	uint64_t loads;
	unsigned variant;
};

/* Loads of a walk around the whole chain, and a few more: the loop takes 16 at a time. */
static uint64_t lap(const struct chain *c)
{
	return (c->nodes + 15) / 16 * 16;
}

/* Goes on along a chain. -1: the proof failed. */
static int walk(struct bench *b, struct job *job, struct chain *c, uint64_t loads, double *ticks)
{
	uint64_t end = c->position + loads, expect = chain_at(c, CHAIN_POINTER, end);
	const uint64_t args[LOOP_ARGS] = { chain_at(c, CHAIN_POINTER, c->position), loads / 16 };
	struct timed t = call_loop(b, loop_chase, args);

	c->position = end % c->nodes;
	*ticks = (double)t.ticks;
	if (t.value == expect)
		return 0;
	return job_disproved(job, "the chase ended at %#llx, plain C says %#llx",
		(unsigned long long)t.value, (unsigned long long)expect);
}

/*
 * Ticks of so many loads of one of the chains, without what a call costs: by the difference of a
 * long walk and one lap, for a call also evicts translations. Where the TLB is just full, that of
 * the stack's page makes all others miss once, one after the other.
 */
static int chase(struct bench *b, struct job *job, struct chain *c, double *ticks)
{
	const struct pages *p = job->priv;
	double whole, one, loads = (double)p->loads;

	if (walk(b, job, c, lap(c), &one) || walk(b, job, c, p->loads, &whole))
		return -1;
	*ticks = (whole - one) * loads / (loads - (double)lap(c));
	return 0;
}

static double core_hz(struct bench *b)
{
	return core_clock_of(b, (double)b->clock_turns, core_clock_ticks(b, b->clock_turns));
}

/*
 * Both chains in turn within one sample, so that a change of the machine's mood meets both. Each
 * is walked around a few times first: the other one has evicted its lines from the caches, and its
 * translations.
 */
static int sampler(struct bench *b, struct job *job, struct sample *s)
{
	struct pages *p = job->priv;
	bool both = p->variant == TLB_COST || p->variant == TLB_COLD;
	double spread = 0, control = 0, warm;

	if (both && walk(b, job, &p->chains.spread, WARM_LAPS * lap(&p->chains.spread), &warm))
		return -1;
	if (p->variant != TLB_CONTROL && chase(b, job, &p->chains.spread, &spread))
		return -1;
	if (both && walk(b, job, &p->chains.control, WARM_LAPS * lap(&p->chains.control), &warm))
		return -1;
	if (p->variant != TLB_SPREAD && chase(b, job, &p->chains.control, &control))
		return -1;
	double ticks = both ? spread - control : spread + control;

	s->value = ticks_to_ns(b, ticks) / (double)p->loads;
	s->control = both ? ticks_to_ns(b, control) / (double)p->loads : 0;
	s->core_hz = core_hz(b);
	return 0;
}

/* The arena, or more of its node, where pages of 2 MiB need more. 0, or -1 after job_skip. */
static int memory_for(struct bench *b, struct job *job, const struct translations *t,
	struct arena *out)
{
	uint64_t bytes = tlb_bytes(b, t);

	*out = tlb_reach(&job->arena);
	if (bytes <= out->bytes)
		return 0;
	if (bytes > tlb_most_bytes(b, t->page_bytes))
		return job_too_large(job, bytes);
	return job_arena_on(b, job, job->arena.node, bytes, out);
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct translations *t = row_spec(row, struct translations);
	struct pages *p = job_alloc(b, job, sizeof *p);
	struct arena arena;

	if (!p)
		return -1;
	if (job->arena.page_bytes != row->page_bytes)
		return job_skip(job, "pages of %llu KiB cannot be had",
			(unsigned long long)(row->page_bytes / KIB));
	if (memory_for(b, job, t, &arena))
		return -1;
	if (tlb_build(b, &arena, t, &p->chains))
		return job_too_large(job, tlb_bytes(b, t));
	p->variant = t->variant;
	p->loads = 2 * lap(&p->chains.spread);
	if (p->loads < LOADS_FEWEST)
		p->loads = LOADS_FEWEST;
	job->priv = p;
	job->sampler = sampler;
	return 0;
}

/* Building both chains, and twelve samples of both, each after so many laps, and one more. */
static double cost(const struct bench *b, uint64_t nodes)
{
	double loads = math_max(LOADS_FEWEST, 2 * (double)nodes);
	double ns = nodes <= 1024 ? b->pace.ns_per_near_load * 2 : b->pace.ns_per_far_load;

	return 2 * (double)nodes * (b->pace.ns_per_node + b->pace.ns_per_far_load) +
		2 * 12 * (loads + (WARM_LAPS + 1) * (double)nodes) * ns;
}

static void add(struct bench *b, const struct translations *t, unsigned drop_order)
{
	struct row row = row_new(tlb_variants[t->variant], &unit_ns_load, drop_order, prepare);

	row.page_bytes = t->page_bytes;
	*row_spec(&row, struct translations) = *t;
	row.cost_ns = cost(b, t->pages);
	row_param(&row, "pages", (double)t->pages);
	row_param(&row, "stride_bytes",
		t->regions ? (double)tlb_region_bytes(t->page_bytes)
			   : (double)(t->group * t->page_bytes));
	plan_add(b, &row);
}

/*
 * Groups for all counts of a page size, or for none: between a count with and one without, a
 * processor that joins pages would show a step that is no edge. None joins pages of 2 MiB.
 */
static unsigned char group_of(const struct bench *b, size_t page)
{
	const struct translations t = {
		.group = CHAIN_GROUP, .pages = GROUPS_LEAST, .page_bytes = page
	};

	return page < PAGE_2M && tlb_bytes(b, &t) <= tlb_most_bytes(b, page) ? CHAIN_GROUP : 1;
}

/* 1 to 16384 pages: 1, 2 or 4 per octave, by profile, and as many as the arena holds. */
static void plan_pages(struct bench *b, size_t page, unsigned drop_order)
{
	struct translations t = { .group = group_of(b, page), .page_bytes = page };
	double fractions[SWEEP_MOST];
	unsigned points = sweep_fractions(b, fractions);

	for (uint64_t octave = 1; octave <= PAGES_MOST; octave *= 2)
		for (unsigned i = 0; i < points; i++) {
			uint64_t pages = (uint64_t)((double)octave * fractions[i] + 0.5);

			if (pages == t.pages || pages > PAGES_MOST)
				continue;
			t.pages = pages;
			for (unsigned v = 0; v < TLB_VARIANTS; v++) {
				t.variant = (unsigned char)v;
				if (v != TLB_COLD)
					add(b, &t, v == TLB_COST ? drop_order : drop_order + 2);
			}
			if (tlb_bytes(b, &t) > tlb_most_bytes(b, page))
				return; /* this one says so; larger ones would too */
		}
}

/* So many pages that none is in the TLB, by the entries that it may have. */
static void plan_cold(struct bench *b, size_t page, unsigned drop_order)
{
	struct translations t = { .variant = TLB_COLD,
		.group = page < PAGE_2M ? CHAIN_GROUP : 1,
		.regions = tlb_cold_regions(b, page),
		.page_bytes = page };

	for (t.pages = TLB_COLD_PAGES / 2; t.pages <= TLB_COLD_PAGES; t.pages *= 2)
		if (t.pages <= tlb_cold_pages(&t))
			add(b, &t, drop_order);
}

void probe_tlb_plan(struct bench *b)
{
	plan_pages(b, PAGE_4K, DROP_LATE);
	plan_cold(b, PAGE_4K, DROP_LATE);
	if (!(b->room->facts.pages & PAGE_2M))
		return;
	plan_pages(b, PAGE_2M, DROP_MIDDLE);
	plan_cold(b, PAGE_2M, DROP_MIDDLE);
}

void probe_tlb_plan_edges(struct bench *b)
{
	static const size_t sizes[] = { PAGE_4K, PAGE_2M };
	double next[TLB_COUNTS];

	for (unsigned size = 0; size < 2; size++) {
		struct translations t = { .variant = TLB_COST,
			.group = group_of(b, sizes[size]),
			.page_bytes = sizes[size] };
		unsigned n = tlb_next_counts(b, sizes[size], next);

		for (unsigned i = 0; i < n; i++) {
			t.pages = (uint64_t)next[i];
			add(b, &t, DROP_LATE);
		}
	}
}

void probe_tlb_find(struct bench *b)
{
	tlb_find(b);
}
