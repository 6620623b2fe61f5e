/* SPDX-License-Identifier: MIT */
/* Lines, ways, the window and translation: what shows as a step in a curve over a count. */
#include "engine/find.h"
#include "lib/math.h"
#include "probes/stride.h"

#define WAYS_RISE   1.05
#define STRIDE_MOST 1024 /* beyond, pages and sets come into it */

/* The unit that memory delivers: a line, or a pair of lines fetched together. */
struct estimate read_fetch_bytes(const struct bench *b, struct curve *c)
{
	const struct pick even = { .probe = "stride", .variant = "even", .x = "stride_bytes" };
	const struct pick odd = { .probe = "stride", .variant = "odd", .x = "stride_bytes" };

	take_curve(b, &even, c);
	if (!add_to_curve(b, &odd, c))
		return not_resolved(NOT_MEASURED);
	while (c->n && c->point[c->n - 1].x > STRIDE_MOST)
		c->n--;
	return infer_knee(c->point, c->n);
}

/* What a flush takes along; no prefetcher can make that more. */
struct estimate read_line_bytes(const struct bench *b, struct curve *c)
{
	const struct pick beside = {
		.probe = "stride", .variant = FLUSH_VARIANT, .x = FLUSH_APART
	};

	if (!take_curve(b, &beside, c))
		return not_resolved(NOT_MEASURED);
	return infer_fall(c->point, c->n);
}

static void find_line(struct findings *f, struct curve *c)
{
	const struct cache_claim *l1 = claimed_cache(f, 1);

	found(f, "line_bytes", "bytes", read_line_bytes(f->b, c),
		l1 ? l1->line_bytes : NOT_A_NUMBER, "stride flush-beside over apart_bytes");
	found(f, "fetch_bytes", "bytes", read_fetch_bytes(f->b, c), NOT_A_NUMBER,
		"stride even and odd");
}

/*
 * The most lines that cost no more than one does. Where a set replaces at random, a line more than it
 * holds costs little, and the steepest rise comes later; but from there on all cost more.
 */
static struct estimate before_rise(const struct curve *c, const struct stair *l)
{
	const struct point *p = c->point;
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

/* Lines of a variant before its first step. */
static struct estimate ways_of(struct findings *f, const char *variant, struct curve *c)
{
	const struct pick pick = { .probe = "ways", .variant = variant, .x = "ways" };
	struct estimate e = not_resolved(NOT_MEASURED);
	struct staircase s;

	if (!take_curve(f->b, &pick, c))
		return e;
	e = not_resolved("no step up to the most lines");
	if (!infer_staircase(c->point, c->n, &cache_rules, &s))
		e.reason = s.reason;
	else if (s.rising || s.count > 1)
		e = before_rise(c, &s.level[0]);
	return e;
}

/* same-set, unless its pages make a step without its sets, or there were no large pages. */
static void find_ways(struct findings *f, struct curve *c)
{
	const struct cache_claim *l1 = claimed_cache(f, 1);
	struct estimate sets = ways_of(f, "same-set", c), pages = ways_of(f, "same-pages", c);
	struct estimate low = ways_of(f, "same-index", c);
	bool index =
		(sets.reason || !pages.reason) && !(low.reason && same(low.reason, NOT_MEASURED));

	found(f, "l1d_ways", "ways", index ? low : sets, l1 && l1->ways ? l1->ways : NOT_A_NUMBER,
		index ? "ways same-index" : "ways same-set, same-pages");
}

struct estimate read_window(const struct bench *b, struct curve *c)
{
	const struct pick pick = {
		.probe = "window", .variant = "two-misses", .x = "instructions"
	};

	return take_curve(b, &pick, c) ? infer_step(c->point, c->n) : not_resolved(NOT_MEASURED);
}

static double claimed_entries(const struct findings *f, unsigned level, unsigned pages)
{
	for (unsigned i = 0; i < f->ntlbs; i++)
		if (f->tlbs[i].level == level && f->tlbs[i].type != CLAIM_INSTRUCTION &&
			(f->tlbs[i].pages & pages))
			return f->tlbs[i].entries;
	return NOT_A_NUMBER;
}

/* What a page size's translation is called in the result, first level to walk. */
struct tlb_names {
	size_t page_bytes;
	unsigned pages;
	const char *first, *second, *hit, *walk, *rests_on;
};

/*
 * Three plateaus: found in the first buffer, found in the second, walked for. With fewer the one
 * that is missing cannot be told.
 */
static void find_tlb(struct findings *f, const struct tlb_names *n, struct curve *c)
{
	const struct pick pick = {
		.probe = "tlb",
		.variant = "cost",
		.x = "pages",
		.page_bytes = n->page_bytes,
		.cycles = true,
	};
	struct estimate first, second, hit, walk;
	struct staircase s;

	first = second = hit = walk = not_resolved(NOT_MEASURED);
	if (take_curve(f->b, &pick, c)) {
		first = second = hit = walk = not_resolved("no second rise");
		if (!infer_staircase(c->point, c->n, &entry_rules, &s))
			first = second = hit = walk = not_resolved(s.reason);
		else if (s.count > 1 || s.rising)
			first = s.level[0].edge;
		if (s.count > 2 || (s.count == 2 && s.rising)) {
			second = s.level[1].edge;
			hit = plain_estimate(s.level[1].y, 0.9);
		}
		if (s.count > 2) /* more pages have more lines, which caches mix into it */
			walk = plain_estimate(c->point[s.level[2].first].y, 0.8);
	}
	found(f, n->first, "entries", first, claimed_entries(f, 1, n->pages), n->rests_on);
	found(f, n->second, "entries", second, claimed_entries(f, 2, n->pages), n->rests_on);
	found(f, n->hit, "cycles", hit, NOT_A_NUMBER, n->rests_on);
	found(f, n->walk, "cycles", walk, NOT_A_NUMBER, n->rests_on);
}

void find_lines(struct findings *f)
{
	static const struct tlb_names names[] = {
		{ PAGE_4K, TLB_4K, "dtlb_4k_entries", "stlb_entries", "stlb_hit_cycles",
			"walk_cycles", "tlb cost over pages, 4 KiB pages" },
		{ PAGE_2M, TLB_2M, "dtlb_2m_entries", "stlb_2m_entries", "stlb_2m_hit_cycles",
			"walk_2m_cycles", "tlb cost over pages, 2 MiB pages" },
	};
	struct curve *c = row_alloc(f->b, sizeof *c);

	if (!c)
		return;
	find_line(f, c);
	find_ways(f, c);
	found(f, "window_instructions", "instructions", read_window(f->b, c), NOT_A_NUMBER,
		"window two-misses over instructions");
	for (unsigned i = 0; i < 2; i++)
		find_tlb(f, &names[i], c);
}
