/* SPDX-License-Identifier: MIT */
/* What the rows of probe `tlb` show: entries of each level, and what a miss of each costs. */
#include "probes/tlb_find.h"

#include "engine/claims.h"
#include "engine/find.h"
#include "lib/math.h"
#include "probes/tlb_chains.h"

/* What a page size's translation is called in the result, first level to walk. */
struct names {
	size_t page_bytes;
	unsigned claim; /* TLB_4K ... */
	const char *first, *second, *hit, *walk, *cold, *rests_on, *cold_rests_on;
};

#define FIRST_MOST      1.5  /* core cycles that a hit in the first level seems to cost, at most */
#define HIT_CONFIDENCE  0.9  /* a whole plateau */
#define WALK_CONFIDENCE 0.8  /* one point of a plateau */
#define COLD_CONFIDENCE 0.8  /* one row less another */
#define COLD_TIMES      2    /* pages over the entries of the second level, at least */
#define HALF_MISS       1.6  /* times the entries: there, half miss even with random replacement */
#define ALL_MISS        1.25 /* times the entries: there all miss with LRU in sets of four */
#define CLIFF           3    /* factor between a hit and a walk there, after ENTRY_OFFSET */
#define MOST_MISS       0.9  /* of the rise: where it is done, the level has ended in any case */
#define SAME_FROM       1.25 /* times the pages: what costs as much there is flat */
#define SAME_RISE       0.02 /* of the cost, up or down, in an octave */
#define SPREAD_DOUBT    0.5  /* confidence lost by an edge that is spread over the rise */

#define STILL_RISES "the cost still rises at the most pages"

struct found_levels {
	struct estimate first, second, hit, walk;
};

/* The least cost of a level above one that costs `hit`. */
static double least_walk(double hit)
{
	return entry_rules.rise * (hit + entry_rules.offset) - entry_rules.offset;
}

/* The cost of a walk as point i has it. */
static struct estimate walk_at(const struct curve *c, unsigned i)
{
	return doubted(plain_estimate(c->point[i].y, WALK_CONFIDENCE), curve_doubt(c, i, i));
}

/* The first of from..last that costs what SAME_FROM times the pages cost; c->n: none does. */
static unsigned first_flat(const struct curve *c, unsigned from, unsigned last)
{
	const struct point *p = c->point;

	for (unsigned i = from, k = from; i <= last; i++) {
		while (k < c->n && p[k].x < SAME_FROM * p[i].x)
			k++;
		if (k < c->n &&
			math_abs(p[k].y / p[i].y - 1) <= SAME_RISE * math_log2(p[k].x / p[i].x))
			return i;
	}
	return c->n;
}

/*
 * The walks' plateau: where it is first flat; else the least of its flattest part, as more lines
 * miss caches, and at the edge of one more of them than beside it.
 */
static struct estimate walk_on(const struct curve *c, const struct stair *hits,
	const struct stair *walks)
{
	unsigned from = hits->last, at, least = walks->first;

	while (from < walks->first && c->point[from].y < least_walk(hits->y))
		from++;
	at = first_flat(c, from, walks->last);
	for (unsigned i = walks->first; i <= walks->last; i++)
		if (c->point[i].y < c->point[least].y)
			least = i;
	return walk_at(c, at < c->n ? at : least);
}

/* The lowest from x on, where no two points cost the same: what caches do can only add to it. */
static struct estimate lowest_beyond(const struct curve *c, double x)
{
	unsigned at = c->n - 1;

	if (c->point[at].x < x)
		return not_resolved(STILL_RISES);
	for (unsigned i = at; i && c->point[i].x >= x; i--)
		if (c->point[i].y < c->point[at].y)
			at = i;
	return walk_at(c, at);
}

/* Where the cost stops rising above the second level's edge, a level's factor above a hit in it. */
static struct estimate walk_beyond(const struct curve *c, const struct estimate *edge, double hit)
{
	struct estimate walk = infer_flat_beyond(c->point, c->n, edge->value);

	return walk.value < least_walk(hit) ? not_resolved(STILL_RISES) : walk;
}

/* Where the cost first reaches y: x between two points, and the index of the second; n: nowhere. */
static double reached(const struct curve *c, double y, unsigned *at)
{
	const struct point *p = c->point;
	unsigned i = 1;

	while (i < c->n && p[i].y < y)
		i++;
	*at = i;
	if (i == c->n)
		return NOT_A_NUMBER;
	double part = p[i].y > p[i - 1].y ? (y - p[i - 1].y) / (p[i].y - p[i - 1].y) : 1;

	return p[i - 1].x + math_clamp(part, 0, 1) * (p[i].x - p[i - 1].x);
}

/*
 * Entries that something else takes at times, such as the other thread of a core, end over more
 * pages than even random replacement explains: the level may end anywhere up to where most of the
 * rise is done. Misses m at k times the entries: m = 1 - exp(-m k).
 */
static struct estimate spread_over_the_rise(const struct curve *c, struct estimate e, double hit,
	double walk)
{
	double rise = walk - hit;
	unsigned at;

	if (e.reason || !(reached(c, hit + rise / 2, &at) > HALF_MISS * e.value))
		return e;
	reached(c, hit + MOST_MISS * rise, &at);
	e.high = math_max(e.high, c->point[at < c->n ? at : c->n - 1].x);
	return doubted(e, SPREAD_DOUBT);
}

/*
 * Whether the cost just beyond the edge is that of a walk, though caches soon make it cost more:
 * where all miss even with LRU in sets of four, it is several times a hit.
 */
static bool is_cliff(const struct curve *c, const struct estimate *edge, double hit)
{
	double offset = entry_rules.offset;
	unsigned at;

	return !edge->reason &&
		reached(c, CLIFF * (hit + offset) - offset, &at) <= ALL_MISS * edge->value;
}

/* The second level, whose plateau is number `at`: its end, and what a hit and a walk cost. */
static void second_level(struct bench *b, const struct curve *c, const struct staircase *s,
	unsigned at, struct found_levels *l)
{
	const struct stair *level = &s->level[at];
	bool in_steps = at + 1 < s->count && s->level[at + 1].hidden;
	unsigned walks = at + 1;

	while (walks < s->count && s->level[walks].hidden)
		walks++;
	l->hit = doubted(plain_estimate(level->y, HIT_CONFIDENCE),
		curve_doubt(c, level->first, level->last));
	if (in_steps || walks == s->count)
		l->walk = walk_beyond(c, &level->edge, level->y);
	if (in_steps && l->walk.reason && is_cliff(c, &level->edge, level->y)) {
		l->second = edge_of(b, c, level->edge);
		l->walk = lowest_beyond(c, ALL_MISS * level->edge.value);
		return;
	}
	if (walks < s->count && (!in_steps || l->walk.reason))
		l->walk = walk_on(c, level, &s->level[walks]);
	if (!l->walk.reason)
		l->second = edge_of(b, c,
			spread_over_the_rise(c, level->edge, level->y, l->walk.value));
	else
		l->second = in_steps ? not_resolved("the cost rises in steps beyond it")
				     : edge_of(b, c, level->edge);
}

/*
 * Three plateaus: a hit in the first level, a hit in the second, a walk. A hit in the first level
 * costs nothing: where even the smallest count costs more, that level ended before it.
 */
static struct found_levels levels_of(struct bench *b, const struct curve *c)
{
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
		l.first = edge_of(b, c, s.level[at++].edge);
	else
		at++;
	if (s.count > at + 1 || (s.count == at + 1 && s.rising))
		second_level(b, c, &s, at, &l);
	return l;
}

/* Cycles that a row of `cold` costs more than that of `cost` with as many pages. */
static struct estimate upper_tables(const struct bench *b, const struct result *cold)
{
	double pages = row_get(cold->row, "pages", 0);

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (is_variant(b, r, tlb_variants[TLB_COST]) && r->page_bytes == cold->page_bytes &&
			row_get(r->row, "pages", 0) == pages)
			return plain_estimate(math_max(0, row_cycles(b, cold) - row_cycles(b, r)),
				math_min(row_confidence(cold), row_confidence(r)));
	}
	return not_resolved(NOT_MEASURED);
}

/*
 * A walk, and the least that upper tables add, of the rows whose pages are so many that each is
 * walked for. What caches do to the lines of so many pages is the same in `cold` and `cost`, unless
 * the count is at a cache's edge, where it only adds to it.
 */
static struct estimate cold_walk(const struct bench *b, size_t page, const struct found_levels *l)
{
	struct estimate best =
		not_resolved(l->second.reason ? "the second level is not known"
					      : "too few pages to miss the second level");
	unsigned rows = 0;

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		if (!is_variant(b, r, tlb_variants[TLB_COLD]) || r->page_bytes != page)
			continue;
		rows++;
		if (!(row_get(r->row, "pages", 0) >= COLD_TIMES * l->second.value))
			continue;
		struct estimate e = upper_tables(b, r);

		if (best.reason || e.value < best.value)
			best = e;
	}
	if (!rows)
		return not_resolved(tlb_cold_regions(b, page) ? NOT_MEASURED
				: page < PAGE_2M ? "the memory has too few regions of 2 MiB"
						 : "the memory has too few regions of 1 GiB");
	if (best.reason)
		return best;
	if (l->walk.reason)
		return l->walk;
	return plain_estimate(l->walk.value + best.value,
		math_min(COLD_CONFIDENCE, math_min(l->walk.confidence, best.confidence)));
}

/* Removes the bad points, and the rows behind them. */
static void leave_usable(struct curve *c)
{
	unsigned n = infer_usable_costs(c->point, c->n), from = 0;

	for (unsigned i = 0; i < n; i++) {
		while (row_get(c->from[from]->row, "pages", 0) != c->point[i].x)
			from++;
		c->from[i] = c->from[from];
	}
	c->n = n;
}

/* Its rows as a curve, without the bad points. Returns how many rows there were. */
static unsigned take_costs(const struct bench *b, size_t page, struct curve *c)
{
	const struct pick pick = {
		.variant = tlb_variants[TLB_COST],
		.x = "pages",
		.page_bytes = page,
		.cycles = true,
	};

	unsigned n = take_curve(b, &pick, c);

	c->offset = entry_rules.offset;
	leave_usable(c);
	return n;
}

unsigned tlb_next_counts(struct bench *b, size_t page, double next[TLB_COUNTS])
{
	const struct resolution r = { .grain = 1, .ratio = 1 };
	struct curve *c = row_alloc(b, sizeof *c);
	unsigned n = c && take_costs(b, page, c) ? c->n : 0;
	struct staircase s;

	/* Beyond the third plateau, of walks, the curve rises with the misses of the caches. */
	if (n && infer_staircase(c->point, n, &entry_rules, &s) > 2)
		n = s.level[2].last + 1;
	return n ? infer_bisect_staircase(c->point, n, &entry_rules, &r, next, TLB_COUNTS) : 0;
}

static void find_pages(struct bench *b, const struct names *n, struct curve *c)
{
	struct found_levels l;

	l.first = l.second = l.hit = l.walk = not_resolved(NOT_MEASURED);
	if (take_costs(b, n->page_bytes, c))
		l = levels_of(b, c);
	found(b, n->first, "entries", l.first, claims_tlb_entries(b->env, 1, n->claim),
		n->rests_on);
	found(b, n->second, "entries", l.second, claims_tlb_entries(b->env, 2, n->claim),
		n->rests_on);
	found(b, n->hit, "cycles", l.hit, NOT_A_NUMBER, n->rests_on);
	found(b, n->walk, "cycles", l.walk, NOT_A_NUMBER, n->rests_on);
	found(b, n->cold, "cycles", cold_walk(b, n->page_bytes, &l), NOT_A_NUMBER,
		n->cold_rests_on);
}

void tlb_find(struct bench *b)
{
	static const struct names names[] = {
		{ PAGE_4K, TLB_4K, "dtlb_4k_entries", "stlb_entries", "stlb_hit_cycles",
			"walk_cycles", "walk_cold_cycles", "tlb cost over pages, 4 KiB pages",
			"tlb cold and cost, 4 KiB pages" },
		{ PAGE_2M, TLB_2M, "dtlb_2m_entries", "stlb_2m_entries", "stlb_2m_hit_cycles",
			"walk_2m_cycles", "walk_2m_cold_cycles", "tlb cost over pages, 2 MiB pages",
			"tlb cold and cost, 2 MiB pages" },
	};
	struct curve *c = row_alloc(b, sizeof *c);

	for (unsigned i = 0; c && i < 2; i++)
		find_pages(b, &names[i], c);
}
