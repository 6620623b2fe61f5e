/* SPDX-License-Identifier: MIT */
/* What the rows of probe `tlb` show: entries of each level, and what a miss of each costs. */
#include "probes/tlb_find.h"

#include "engine/claims.h"
#include "engine/find.h"
#include "lib/math.h"
#include "probes/tlb_chains.h"
#include "probes/tlb_levels.h"

/* What a page size's translation is called in the result, first level to walk. */
struct names {
	size_t page_bytes;
	unsigned claim; /* TLB_4K ... */
	const char *first, *second, *hit, *walk, *cold;
	const char *rests_on, *beside_rests_on, *cold_rests_on;
};

#define JOINED_DOUBT    0.5 /* confidence lost where the processor may have joined pages */
#define FIRST_MOST      1.5 /* core cycles that a hit in the first level seems to cost, at most */
#define COLD_CONFIDENCE 0.8 /* one row less another */
#define COLD_TIMES      2   /* pages over the entries of the second level, at least */

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
		tlb_second_level(b, c, &s, at, &l);
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
	bool measured = false; /* anything of these pages */

	for (unsigned i = 0; i < b->nresults; i++) {
		const struct result *r = &b->results[i];

		measured |= r->row->probe == b->probe && r->row->page_bytes == page;
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
		return not_resolved(!measured || tlb_cold_regions(b, page) ? NOT_MEASURED
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

/* Small pages that had to lie side by side may have been joined to fewer entries. */
static bool may_be_joined(const struct curve *c)
{
	const struct row *row = c->from[0]->row;

	return row->page_bytes < PAGE_2M && row_get(row, "stride_bytes", 0) == row->page_bytes;
}

static void doubt_joined(struct found_levels *l)
{
	l->first = doubted(l->first, JOINED_DOUBT);
	l->second = doubted(l->second, JOINED_DOUBT);
	l->hit = doubted(l->hit, JOINED_DOUBT);
	l->walk = doubted(l->walk, JOINED_DOUBT);
}

static void find_pages(struct bench *b, const struct names *n, struct curve *c)
{
	const char *rests_on = n->rests_on;
	struct found_levels l;

	l.first = l.second = l.hit = l.walk = not_resolved(NOT_MEASURED);
	if (take_costs(b, n->page_bytes, c))
		l = levels_of(b, c);
	if (c->n && may_be_joined(c)) {
		doubt_joined(&l);
		rests_on = n->beside_rests_on;
	}
	found(b, n->first, "entries", l.first, claims_tlb_entries(b->room, 1, n->claim), rests_on);
	found(b, n->second, "entries", l.second, claims_tlb_entries(b->room, 2, n->claim),
		rests_on);
	found(b, n->hit, "cycles", l.hit, NOT_A_NUMBER, rests_on);
	found(b, n->walk, "cycles", l.walk, NOT_A_NUMBER, rests_on);
	found(b, n->cold, "cycles", cold_walk(b, n->page_bytes, &l), NOT_A_NUMBER,
		n->cold_rests_on);
}

void tlb_find(struct bench *b)
{
	static const struct names names[] = {
		{ PAGE_4K, TLB_4K, "dtlb_4k_entries", "stlb_entries", "stlb_hit_cycles",
			"walk_cycles", "walk_cold_cycles", "tlb cost over pages, 4 KiB pages",
			"tlb cost over pages, 4 KiB pages side by side, which may be joined",
			"tlb cold and cost, 4 KiB pages" },
		{ PAGE_2M, TLB_2M, "dtlb_2m_entries", "stlb_2m_entries", "stlb_2m_hit_cycles",
			"walk_2m_cycles", "walk_2m_cold_cycles", "tlb cost over pages, 2 MiB pages",
			NULL, "tlb cold and cost, 2 MiB pages" },
	};
	struct curve *c = row_alloc(b, sizeof *c);

	/*
	 * No floors: a sample takes a lap's time from a longer walk's, so that it is lowest where
	 * the machine was slow in the lap only, and that is no quiet moment.
	 */
	if (b->reading == READ_FLOOR)
		return;
	for (unsigned i = 0; c && i < 2; i++)
		find_pages(b, &names[i], c);
}
