/* SPDX-License-Identifier: MIT */
/*
 * Measure the cost of address translation: a chase over one line in each of n pages, minus one over
 * the same number of lines side by side.
 */
#include "engine/claims.h"
#include "engine/core_clock.h"
#include "engine/find.h"
#include "engine/plan.h"
#include "engine/room_cpuid.h"
#include "lib/math.h"
#include "probes/probe.h"
#include "probes/tlb/tlb_second_level.h"

enum tlb_variant { TLB_COST, TLB_UPPER, TLB_SPREAD, TLB_CONTROL, TLB_VARIANTS };

/*
 * Variant `upper` visits so many pages, or half as many: twice the entries of any second level
 * known to us (4096, Zen 5), so that each page is walked for. Only half as many where the regions
 * hold no more.
 */
#define TLB_UPPER_PAGES 8192
/*
 * They lie in so many regions, each of one entry of the upper table: twice the largest
 * paging-structure cache that we found documented (64 entries, AMD family 17h), and more where
 * there is memory.
 */
#define TLB_REGIONS_FEWEST 128
#define TLB_REGIONS_MOST   512

/* Parameters of a row of `tlb`. */
struct translations {
	unsigned char variant;
	unsigned char group; /* pages of which one is used: 1 or CHAIN_GROUP */
	uint32_t regions;    /* visited in turn, 0: one after the other */
	uint64_t pages;      /* used */
	uint64_t page_bytes;
};

struct tlb_chains {
	struct chain spread, control;
};

#define TLB_COUNTS 6 /* edges of a curve, at most */

#define CONTROL_BYTES (64 * KIB) /* of the control, visited at a time */

static const char *const tlb_variants[TLB_VARIANTS] = { [TLB_COST] = "cost",
	[TLB_UPPER] = "upper",
	[TLB_SPREAD] = "spread",
	[TLB_CONTROL] = "control" };

/* The memory of one entry of the table above that of the page: 2 MiB or 1 GiB. */
static uint64_t tlb_region_bytes(uint64_t page_bytes)
{
	return page_bytes < PAGE_2M ? PAGE_2M : PAGE_1G;
}

/* All of the arena's address space where single pages may be touched. */
static struct arena tlb_reach(const struct arena *arena)
{
	struct arena all = *arena;

	if (all.reach > all.bytes)
		all.bytes = all.reach;
	return all;
}

/* The most memory that pages of this size may be of: the arena's, or what is beside it. */
static uint64_t tlb_most_bytes(const struct bench *b, size_t page_bytes)
{
	uint64_t arena = tlb_reach(&b->arena).bytes, beside = b->room->facts.beside_bytes;

	return page_bytes == PAGE_2M && beside > arena ? beside : arena;
}

static uint64_t stride_of(const struct translations *t)
{
	return t->group * t->page_bytes;
}

/* Nodes from one region to the next, used or not. */
static uint64_t region_nodes(const struct translations *t)
{
	return tlb_region_bytes(t->page_bytes) / stride_of(t);
}

/* The most pages that the regions of `upper` hold: of each, or of each group, one is used. */
static uint64_t tlb_upper_pages(const struct translations *t)
{
	return t->regions * region_nodes(t);
}

static uint64_t whole_pages(uint64_t bytes)
{
	return (bytes + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
}

/* From the first node of the spread chain to the end of the last one's pages. */
static uint64_t spread_bytes(const struct translations *t)
{
	return (t->regions ? tlb_upper_pages(t) : t->pages) * stride_of(t);
}

/* Bytes of it that both chains take. */
static uint64_t tlb_bytes(const struct bench *b, const struct translations *t)
{
	uint64_t packed = t->regions ? 0 : whole_pages(t->pages * b->node_bytes);

	return spread_bytes(t) + packed;
}

/* Returns the pages of the spread chain. */
static struct chain_pages pages_of(const struct translations *t)
{
	struct chain_pages p = { .page_bytes = t->page_bytes, .group = t->group };

	if (!t->regions)
		return p;
	p.regions = t->regions;
	p.region_bytes = tlb_region_bytes(t->page_bytes);
	p.lap_bytes = region_nodes(t) * t->regions / t->pages * stride_of(t);
	return p;
}

/*
 * The spread chain of variant `upper` uses every entry of the upper table for one page, then all
 * others, before it needs it again: in each lap through the regions, each time in the same order,
 * for another of its pages. The control visits all pages of an entry, then those of the next. It
 * has the very lines of the spread chain, whose nodes hold the links of both: what caches make of
 * them is the same.
 */
static void build_over_regions(struct bench *b, const struct translations *t, struct tlb_chains *c)
{
	c->control = c->spread;
	c->control.base += sizeof(uint64_t);
	chain_order_laps(&c->spread, t->regions, &b->random);
	chain_order_columns(&c->control, t->regions, &b->random);
}

/*
 * The spread chain visits the pages of one entry of the upper table after the other, at random
 * within it. The control follows it, as many lines as the spread chain uses, closely packed, at
 * random within a few pages at a time.
 */
static int build_beside(struct bench *b, const struct arena *arena, const struct translations *t,
	struct tlb_chains *c)
{
	uint64_t taken = spread_bytes(t);
	struct arena rest = *arena;

	rest.base += taken;
	rest.bytes -= taken;
	if (chain_layout(&c->control, &rest, t->pages, b->node_bytes))
		return -1;
	chain_draw_lines(&c->control, &b->random);
	chain_order_blocks(&c->spread, region_nodes(t), &b->random);
	chain_order_blocks(&c->control, CONTROL_BYTES / b->node_bytes, &b->random);
	return 0;
}

/* Builds both. 0; -1 if they do not fit. */
static int tlb_build(struct bench *b, const struct arena *arena, const struct translations *t,
	struct tlb_chains *c)
{
	if (tlb_bytes(b, t) > arena->bytes ||
		chain_layout(&c->spread, arena, t->pages, stride_of(t)))
		return -1;
	c->spread.pages = pages_of(t);
	if (t->regions)
		build_over_regions(b, t, c);
	else if (build_beside(b, arena, t, c))
		return -1;
	chain_link(&c->spread, CHAIN_POINTER, NULL);
	chain_link(&c->control, CHAIN_POINTER, NULL);
	return 0;
}

/* Returns the number of regions of `upper` with these pages; 0: the memory has too few. */
static uint32_t tlb_upper_regions(const struct bench *b, size_t page)
{
	struct translations t = { .group = page < PAGE_2M ? CHAIN_GROUP : 1,
		.pages = TLB_UPPER_PAGES,
		.page_bytes = page };

	for (t.regions = TLB_REGIONS_MOST; t.regions >= TLB_REGIONS_FEWEST; t.regions /= 2)
		if (tlb_bytes(b, &t) <= tlb_most_bytes(b, page))
			return t.regions;
	return 0;
}

/* Values from the rows of probe `tlb`: entries of each level, and the cost of a miss in each. */

/* Names of a page size's values in the result, from the first level to the walk. */
struct translation_names {
	size_t page_bytes;
	unsigned claim; /* TLB_4K ... */
	enum value_id first, second, hit, walk, cold;
	const char *rests_on, *beside_rests_on, *cold_rests_on;
};

#define JOINED_LOSS     0.5  /* confidence lost where the processor may have joined pages */
#define FIRST_MOST      1.5  /* core cycles that a hit in the first level seems to cost, at most */
#define COLD_CONFIDENCE 0.8  /* a walk and what upper tables add, each of one point */
#define UPPER_TIMES     2    /* pages over the entries of the second level, at least */
#define UPPER_BELOW     1.5  /* core cycles by which they may seem to cost less than nothing */
#define SAME_HIT        0.2  /* of a hit in the second level, by which pages of two sizes differ */
#define MOMENTS_COUNTS  4    /* that are measured at more moments in a round, */
#define MOMENTS_TO      1.06 /* times what is there at least: nearer counts are not asked for */
#define MOMENTS_RATIO   1.03 /* times the one before, each */
#define MOMENTS_ONCE    5    /* more, of a count that shows most entries, but at one moment only */

/*
 * Returns true if a plateau after which nothing rises is the second level: it costs as much as a
 * hit there.
 */
static bool is_known_hit(const struct staircase *s, unsigned at, double hit)
{
	return at && at + 1 == s->count && math_abs(s->level[at].y - hit) <= SAME_HIT * hit;
}

/*
 * Three plateaus: a hit in the first level, a hit in the second, a walk. A hit in the first level
 * costs nothing: where even the smallest count costs more, that level ended before it. `hit`: what
 * one in the second level costs, if other pages say so.
 */
static struct found_levels levels_of(struct reader *reader, const struct costs *costs, double hit)
{
	const struct curve *c = &costs->usable;
	struct found_levels l;
	struct staircase s;
	unsigned at = 0; /* of the first level's plateau among those found, plus one */

	l.first = l.second = l.hit = l.walk = not_resolved("no second rise");
	if (!infer_staircase(c->point, c->n, &entry_rules, &s)) {
		l.first = l.second = l.hit = l.walk = not_resolved(s.reason);
		return l;
	}
	if (!s.level[0].hidden && s.level[0].y > FIRST_MOST)
		l.first = not_resolved("it ends before the smallest count");
	else if (s.count > 1 || s.rising)
		l.first = edge_of(reader, c, s.level[at++].edge);
	else
		at++;
	if (s.count > at + 1 || (s.count == at + 1 && s.rising) || is_known_hit(&s, at, hit))
		tlb_second_level(reader, costs, &s, at, &l);
	return l;
}

/* Returns true if this probe measured any row with these pages. */
static bool any_row(const struct bench *b, size_t page)
{
	for (unsigned i = 0; i < b->nresults; i++)
		if (b->results[i].row->probe == b->probe && b->results[i].row->page_bytes == page)
			return true;
	return false;
}

/*
 * A walk, and what upper tables add: of the fewest pages that are so many that each is walked for,
 * whose lines miss the fewest caches.
 */
static struct estimate cold_walk(const struct bench *b, const struct reader *reader, size_t page,
	const struct found_levels *l, struct curve *c)
{
	const struct pick pick = {
		.variant = tlb_variants[TLB_UPPER], .x = "pages", .page_bytes = page, .cycles = true
	};
	unsigned i = 0;

	if (!take_curve(reader, &pick, c))
		return not_resolved(!any_row(b, page) || tlb_upper_regions(b, page) ? NOT_MEASURED
				: page < PAGE_2M ? "the memory has too few regions of 2 MiB"
						 : "the memory has too few regions of 1 GiB");
	if (l->second.reason)
		return not_resolved("the second level is not known");
	while (i < c->n && c->point[i].x < UPPER_TIMES * l->second.value)
		i++;
	if (i == c->n)
		return not_resolved("too few pages to miss the second level");
	if (l->walk.reason)
		return l->walk;
	if (c->point[i].y < -UPPER_BELOW)
		return not_resolved("pages of many regions cost less than those of one");
	c->offset = l->walk.value; /* what is added to it */
	return less_sure(plain_estimate(l->walk.value + math_max(0, c->point[i].y),
				 math_min(COLD_CONFIDENCE, l->walk.confidence)),
		curve_confidence_loss(c, i, i));
}

/* Its rows as a curve, with and without the bad points. Returns how many rows there were. */
static unsigned take_costs(const struct bench *b, const struct reader *reader, size_t page,
	struct costs *costs)
{
	const struct pick pick = {
		.variant = tlb_variants[TLB_COST],
		.x = "pages",
		.page_bytes = page,
		.cycles = true,
	};

	unsigned n = take_curve(reader, &pick, &costs->all);

	costs->all.offset = entry_rules.offset;
	costs->usable = costs->all;
	curve_leave_usable(&costs->usable, "pages");
	return n;
}

/* Halfway from what is there at least to the first count that was too many so often; 0: known. */
static double between_least_and_end(const struct curve *c, double least)
{
	unsigned i = 0;

	while (i < c->n && !(c->point[i].x > least && c->outermost[i].times >= TLB_MOMENTS))
		i++;
	if (i == c->n || c->point[i].x <= MOMENTS_TO * least)
		return 0;
	double middle = (double)(uint64_t)((least + c->point[i].x) / 2);

	while (i && c->point[i].x > middle)
		i--;
	return c->point[i].x * MOMENTS_RATIO < middle ? middle : 0;
}

/*
 * Plan more moments for the count that ends the second level, and for those that it may hold: a
 * neighbour that takes entries by turns may have ended it. Returns the count to try next, between
 * the least number of entries and the next count above it; 0: none.
 */
static double plan_moments(struct bench *b, struct reader *reader, const struct costs *costs,
	double hit)
{
	const struct curve *c = &costs->all;
	struct found_levels l = levels_of(reader, costs, hit);
	struct estimate e = l.second;
	bool more = e.reason || e.least >= e.value;
	double from = more ? e.least : e.high;
	bool ended = !(from > 0), again = false;
	unsigned once = e.least > 0 ? tlb_shown_once(costs, e.least, l.hit.value) : c->n;

	for (unsigned i = 0, planned = 0; i < c->n && !ended; i++) {
		if (c->point[i].x < from)
			continue;
		ended = tlb_too_many(costs, i, l.hit.value);
		if (!ended && planned == MOMENTS_COUNTS)
			continue;
		again |= plan_repeat(b, c->from[i]->row, TLB_MOMENTS - 1) && i == once;
		from = MOMENTS_RATIO * c->point[i].x;
		planned++;
	}
	if (!more || !(e.least > 0))
		return 0;
	if (once < c->n && !again)
		plan_repeat(b, c->from[once]->row, TLB_MOMENTS + MOMENTS_ONCE - 1);
	return between_least_and_end(c, e.least);
}

/* Returns the cost of a hit in the second level from pages of 4 KiB; not a number: unknown. */
static double small_hit(struct bench *b, struct reader *reader)
{
	struct costs *c = row_alloc(b, sizeof *c);

	return c && take_costs(b, reader, PAGE_4K, c) ? levels_of(reader, c, NOT_A_NUMBER).hit.value
						      : NOT_A_NUMBER;
}

/* Counts of pages of this size to measure next, within the gaps in which edges lie; how many. */
static unsigned tlb_next_counts(struct bench *b, struct reader *reader, size_t page,
	double next[TLB_COUNTS])
{
	const struct resolution r = { .grain = 1, .ratio = 1 };
	struct costs *costs = row_alloc(b, sizeof *costs);
	struct staircase s;

	if (!costs || !take_costs(b, reader, page, costs) || !costs->usable.n)
		return 0;
	const struct curve *c = &costs->usable;
	unsigned n = c->n;

	/* Beyond the third plateau, of walks, the curve rises with the misses of the caches. */
	if (infer_staircase(c->point, n, &entry_rules, &s) > 2)
		n = s.level[2].last + 1;
	n = infer_bisect_staircase(c->point, n, &entry_rules, &r, next, TLB_COUNTS);
	if (n)
		return n;
	next[0] = plan_moments(b, reader, costs,
		page > PAGE_4K ? small_hit(b, reader) : NOT_A_NUMBER);
	return next[0] > 0;
}

/* Small pages that had to lie side by side may have been joined to fewer entries. */
static bool may_be_joined(const struct curve *c)
{
	const struct row *row = c->from[0]->row;

	return row->page_bytes < PAGE_2M && row_get(row, "stride_bytes", 0) == row->page_bytes;
}

/* AMD's processors do join them: what is counted is pages, and not entries. */
static void joined_less_sure(const struct bench *b, struct found_levels *l)
{
	static const char joined[] = "pages side by side, which such processors join to one entry";

	l->first = less_sure(l->first, JOINED_LOSS);
	l->second = less_sure(l->second, JOINED_LOSS);
	if (room_has_amd_leaves(b->room)) {
		l->first = l->first.reason ? l->first : not_resolved(joined);
		l->second = l->second.reason ? l->second : not_resolved(joined);
	}
	l->hit = less_sure(l->hit, JOINED_LOSS);
	l->walk = less_sure(l->walk, JOINED_LOSS);
	l->second.least = 0; /* pages, not entries */
}

/* Returns what a hit in the second level costs; not a number: not known. */
static double find_pages(struct bench *b, struct found_values *f, const struct translation_names *n,
	struct costs *costs, double hit)
{
	const char *rests_on = n->rests_on;
	struct found_levels l;

	l.first = l.second = l.hit = l.walk = not_resolved(NOT_MEASURED);
	if (take_costs(b, &f->reader, n->page_bytes, costs))
		l = levels_of(&f->reader, costs, hit);
	if (costs->usable.n && may_be_joined(&costs->usable)) {
		joined_less_sure(b, &l);
		rests_on = n->beside_rests_on;
	}
	found(f, n->first, l.first, rests_on)->claimed = claims_tlb_entries(b->room, 1, n->claim);
	found(f, n->second, l.second, rests_on)->claimed = claims_tlb_entries(b->room, 2, n->claim);
	found(f, n->hit, l.hit, rests_on);
	found(f, n->walk, l.walk, rests_on);
	found(f, n->cold, cold_walk(b, &f->reader, n->page_bytes, &l, &costs->usable),
		n->cold_rests_on);
	return l.hit.value;
}

/* Infers entries and costs from the current probe's rows, and makes them known with found(). */
static void tlb_find(struct bench *b, struct found_values *f)
{
	static const struct translation_names names[] = {
		{ PAGE_4K, TLB_4K, VALUE_dtlb_4k_entries, VALUE_stlb_entries, VALUE_stlb_hit_cycles,
			VALUE_walk_cycles, VALUE_walk_cold_cycles,
			"tlb cost over pages, 4 KiB pages",
			"tlb cost over pages, 4 KiB pages side by side, which may be joined",
			"tlb cost and upper, 4 KiB pages" },
		{ PAGE_2M, TLB_2M, VALUE_dtlb_2m_entries, VALUE_stlb_2m_entries,
			VALUE_stlb_2m_hit_cycles, VALUE_walk_2m_cycles, VALUE_walk_2m_cold_cycles,
			"tlb cost over pages, 2 MiB pages", NULL,
			"tlb cost and upper, 2 MiB pages" },
	};
	struct costs *c = row_alloc(b, sizeof *c);
	double hit = NOT_A_NUMBER;

	for (unsigned i = 0; c && i < 2; i++)
		hit = find_pages(b, f, &names[i], c, hit);
}

#define LOADS_FEWEST 4096
#define WARM_LAPS    3 /* a pseudo-LRU cache keeps some lines of the other chain after one */
#define PAGES_MOST   16384
#define GROUPS_LEAST 512 /* of CHAIN_GROUP pages: a first level, at least; else side by side */

struct pages {
	struct tlb_chains chains;
	uint64_t loads;
	unsigned variant;
	double part; /* of the loads, on which the spread chain's cost more than the control's */
};

/* Loads of a walk around the whole chain, and a few more: the loop takes 16 at a time. */
static uint64_t lap(const struct chain *c)
{
	return (c->nodes + 15) / 16 * 16;
}

/*
 * Ticks of so many loads of one of the chains, after walks around it in the same call: the call and
 * the other chain have evicted some of its lines and translations. Where the TLB is just full, that
 * of the stack's page makes all others miss once, one after the other. -1: the proof failed.
 */
static int chase(struct bench *b, struct job *job, struct chain *c, uint64_t laps, double *ticks)
{
	const struct pages *p = job->priv;
	uint64_t warm = laps * lap(c), end = c->position + warm + p->loads;
	uint64_t expect = chain_at(c, CHAIN_POINTER, end);
	const uint64_t args[LOOP_ARGS] = { chain_at(c, CHAIN_POINTER, c->position), p->loads / 16,
		warm / 16 };
	struct timed t = call_loop(b, loop_chase_warm, args);

	c->position = end % c->nodes;
	*ticks = (double)t.ticks;
	if (t.value == expect)
		return 0;
	return job_disproved(job, "the chase ended at %#llx, plain C says %#llx",
		(unsigned long long)t.value, (unsigned long long)expect);
}

/*
 * Both chains in turn within one sample, so that a change of the machine's mood meets both: each is
 * walked around a few times first. One alone has only a call between its samples.
 */
static int sampler(struct bench *b, struct job *job, struct sample *s)
{
	struct pages *p = job->priv;
	bool both = p->variant == TLB_COST || p->variant == TLB_UPPER;
	uint64_t laps = both ? WARM_LAPS : 1;
	double spread = 0, control = 0;

	if (p->variant != TLB_CONTROL && chase(b, job, &p->chains.spread, laps, &spread))
		return -1;
	if (p->variant != TLB_SPREAD && chase(b, job, &p->chains.control, laps, &control))
		return -1;
	double ticks = both ? spread - control : spread + control;

	s->value = ticks_to_ns(b, ticks) / (p->part * (double)p->loads);
	s->control = both ? ticks_to_ns(b, control) / (double)p->loads : 0;
	s->core_hz = core_clock_now(b);
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

static int prepare_pages(struct bench *b, const struct row *row, struct job *job)
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
	/* The first page of each region needs its upper entry in either order. */
	p->part = t->regions ? 1 - (double)t->regions / (double)t->pages : 1;
	p->loads = 2 * lap(&p->chains.spread);
	if (p->loads < LOADS_FEWEST)
		p->loads = LOADS_FEWEST;
	job->priv = p;
	job->sampler = sampler;
	return 0;
}

/* Building both chains, and twelve samples of both, each after so many laps. */
static double pages_cost(const struct bench *b, uint64_t nodes)
{
	double loads = math_max(LOADS_FEWEST, 2 * (double)nodes);
	double ns = nodes <= 1024 ? b->pace.ns_per_near_load * 2 : b->pace.ns_per_far_load;

	return 2 * (double)nodes * (b->pace.ns_per_node + b->pace.ns_per_far_load) +
		2 * 12 * (loads + WARM_LAPS * (double)nodes) * ns;
}

static void plan_translations(struct bench *b, const struct translations *t, enum answer answer,
	row_adder *add)
{
	struct row row = row_new(tlb_variants[t->variant], &unit_ns_load, answer, prepare_pages);

	row.page_bytes = t->page_bytes;
	*row_spec(&row, struct translations) = *t;
	row.cost_ns = pages_cost(b, t->pages);
	row_param(&row, "pages", (double)t->pages);
	row_param(&row, "stride_bytes",
		t->regions ? (double)tlb_region_bytes(t->page_bytes)
			   : (double)(t->group * t->page_bytes));
	add(b, &row);
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
static void plan_pages(struct bench *b, size_t page, enum answer answer)
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
				if (v != TLB_UPPER)
					plan_translations(b, &t, answer, plan_add);
			}
			if (tlb_bytes(b, &t) > tlb_most_bytes(b, page))
				return; /* this one says so; larger ones would too */
		}
}

/* Plan rows with so many pages that none is in the TLB, whatever number of entries it may have. */
static void plan_upper(struct bench *b, size_t page, enum answer answer)
{
	struct translations t = { .variant = TLB_UPPER,
		.group = page < PAGE_2M ? CHAIN_GROUP : 1,
		.regions = tlb_upper_regions(b, page),
		.page_bytes = page };

	for (t.pages = TLB_UPPER_PAGES / 2; t.pages <= TLB_UPPER_PAGES; t.pages *= 2)
		if (t.pages <= tlb_upper_pages(&t))
			plan_translations(b, &t, answer, plan_add);
}

static void tlb_plan(struct bench *b)
{
	plan_pages(b, PAGE_4K, ANSWER_TLB);
	plan_upper(b, PAGE_4K, ANSWER_TLB);
	if (!(b->room->facts.pages & PAGE_2M))
		return;
	plan_pages(b, PAGE_2M, ANSWER_TLB_2M);
	plan_upper(b, PAGE_2M, ANSWER_TLB_2M);
}

static void tlb_plan_edges(struct bench *b, struct reader *reader)
{
	static const size_t sizes[] = { PAGE_4K, PAGE_2M };
	double next[TLB_COUNTS];

	for (unsigned size = 0; size < 2; size++) {
		struct translations t = { .variant = TLB_COST,
			.group = group_of(b, sizes[size]),
			.page_bytes = sizes[size] };
		unsigned n = tlb_next_counts(b, reader, sizes[size], next);

		for (unsigned i = 0; i < n; i++) {
			t.pages = (uint64_t)next[i];
			plan_translations(b, &t, size ? ANSWER_TLB_2M : ANSWER_TLB, plan_between);
		}
	}
}

const struct hooks probe_tlb = {
	.plan = tlb_plan,
	.plan_edges = tlb_plan_edges,
	.find = tlb_find,
};
