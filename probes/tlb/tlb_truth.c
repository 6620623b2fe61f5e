/* SPDX-License-Identifier: MIT */
/* `tlb`: chases over pages, and the cost of their translation. */
#include <math.h>

#include "tests/kam/cpu/cache.h"
#include "tests/kam/judge/chase_cost.h"
#include "tests/kam/judge/truth.h"
#include "tests/kam/judge/walk_cost.h"

TOLERANCE(SECOND_HIT, 0.5, "cycles", "a chase less its control: a part of a cycle of each")
TOLERANCE(WALK, 2, "%", "the same; chance has a part in what walks load")
TOLERANCE(TURNS, 7, "%",
	"below all entries, where a neighbour takes some by turns: two counts, 3 % apart each")
TOLERANCE(OF_TWO_ROWS, 2, "%", "a sum of two medians, each 1 %")
TOLERANCE(CROWDED, 0.5, "cycles", "where a few pages share a set of the first TLB with others")
TOLERANCE(UPPER, 0.3, "cycles", "a difference of two orders of the same lines")
TOLERANCE(UPPER_LOADED, 1.5, "cycles",
	"likewise, where L1 has other table lines in the other order")

#define SMALL         4096 /* bytes of a page */
#define PAGES_FROM    1    /* of the sweep, from the probe */
#define PAGES_MOST    16384
#define PAGES_GROUP   16 /* of which one is used, where the arena holds so many groups */
#define POINTS_FEWEST 5  /* of a staircase */

/* The control of `tlb`: as many nodes as pages, side by side. */
static struct wanted control(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double node = number_of(j->run->run, "node_bytes");
	double bytes = param_of(row, "pages") * node, cycles = chase_cycles(c, bytes, node);
	bool small = param_of(row, "page_bytes") == SMALL;
	double walks = small ? small_page_cycles(c, bytes) + CROWDED : translation_cycles(c, bytes);

	if (!undisturbed(c) || !chase_is_clear(c, bytes))
		return anything();
	return between(less(cycles, LATENCY), more(cycles + walks, LATENCY));
}

/*
 * The nodes all over the pages take the control and the cost; in ns, since a cost of 0 has no
 * cycles.
 */
static struct wanted spread(const struct judged *j, json_t *row, unsigned of)
{
	json_t *params = json_object_get(row, "params"), *other;
	double both = 0, room = SECOND_HIT * 1e9 / (double)j->cpu->hz;
	unsigned found = 0;
	size_t i;

	if (!undisturbed(j->cpu) || j->cpu->walk_loads)
		return anything();
	json_array_foreach(j->run->rows, i, other) {
		if ((is_row(other, "tlb", "cost") || is_row(other, "tlb", "control")) &&
			json_equal(json_object_get(other, "params"), params)) {
			both += number_of(other, "median");
			found++;
		}
	}
	return found == 2 ? between(less(both, OF_TWO_ROWS) - room, more(both, OF_TWO_ROWS) + room)
			  : anything();
}

/* The time of the upper table's entry, in ns, with so many pages that each needs a walk. */
static struct wanted upper(const struct judged *j, json_t *row, unsigned of)
{
	const struct cpu *c = j->cpu;
	double pages = param_of(row, "pages"), page = param_of(row, "page_bytes");
	double second = (double)(page < (2 << 20) ? c->stlb : stlb_2m_entries(c));
	struct walk_cost w = upper_cost(c);
	double ns = 1e9 / (double)c->hz;
	double room = c->walk_loads ? UPPER_LOADED : UPPER;

	if (!undisturbed(c) || pages < 2 * second)
		return anything();
	return between((w.low - room) * ns, (w.high + room) * ns);
}

/* Expect the walk of one level of caches or of another; hardly any value lies between. */
static void walk(struct expected_list *l, const char *name, const struct walk_cost *w)
{
	bool levels = w->high > w->low;
	struct expected *d = expect(l, name, w->low, less(w->low, WALK), more(w->high, WALK),
		!levels                       ? WALK_TEXT
			: w->above > w->below ? "either of two levels"
					      : "by chance, to another");

	d->below = more(w->below, WALK);
	d->above = less(w->above, WALK);
}

/* The values of a page size. */
struct tlb_names {
	const char *first, *second, *hit, *walk, *cold;
};

static void one_translation(struct expected_list *l, double page, double first, double second,
	const struct tlb_names *n)
{
	const struct cpu *c = l->cpu;
	double hit = (double)c->stlb_latency, arena = measurable_bytes(&l->memory, page);
	struct walk_cost near = walk_cost(c, arena, page, second, 2 * second);
	struct walk_cost far = upper_cost(c);

	far.low += near.low;
	far.high += near.high;
	far.below = near.below + far.high - near.high;
	far.above = near.above + far.low - near.low;

	/* where samples are not alike, their quartiles may make the bracket wider by one */
	expect_bisected(l, n->first, first, 0, undisturbed(c) ? 1 : 2, "exact");
	expect_bisected(l, n->second, second, 0, undisturbed(c) ? 1 : 2, "exact");
	expect_near(l, n->hit, hit, SECOND_HIT, SECOND_HIT_TEXT);
	walk(l, n->walk, &near);
	walk(l, n->cold, &far);
}

/*
 * Returns how many pages of this size the measured memory holds, so far apart that no two share an
 * entry.
 */
static double most_pages(const struct expected_list *l, double page)
{
	double beside = node_bytes(l->cpu) + 8, group = PAGES_GROUP * page + beside;
	double bytes = measurable_bytes(&l->memory, page), room = bytes - 3 * 4096;

	return fmin(PAGES_MOST,
		floor(room / (pages_apart(l->cpu, bytes, page) ? group : page + beside)));
}

/* A walk with cold upper tables, by pages of many regions, each of an entry of the upper table. */
static void cold_walk(struct expected_list *l, const char *name, double page)
{
	double region = page < (2 << 20) ? 2 << 20 : 1 << 30;

	must_be_unresolved(l, UPPER_REGIONS * region > measurable_bytes(&l->memory, page), name,
		"the memory measured holds too few regions");
	must_be_unresolved(l, 2 * (double)l->cpu->stlb > UPPER_PAGES, name,
		"too few pages are tried for so large a second level");
}

static void unresolvable(struct expected_list *l, const struct tlb_names *n, double first,
	double page)
{
	static const char few[] = "too few points of the sweep lie between two edges";
	static const char small[] = "the memory measured holds too few pages";
	static const char beside[] = "pages lie side by side, which such processors join";
	const struct cpu *c = l->cpu;
	double second = (double)(page > 4096 ? stlb_2m_entries(c) : c->stlb);
	double most = most_pages(l, page);
	bool none = sweep_points(l, PAGES_FROM, PAGES_FROM - 1, most) < POINTS_FEWEST;
	bool start = sweep_plateau(l, PAGES_FROM, PAGES_FROM - 1, first);
	bool middle = sweep_plateau(l, PAGES_FROM, first, fmin(second, most));
	bool end = sweep_plateau(l, PAGES_FROM, second, most);
	double hit = (double)c->stlb_latency + ENTRY_OFFSET;
	bool near = (double)c->walk + ENTRY_OFFSET < ENTRY_RISE * hit;
	bool flat = hit < ENTRY_RISE * ENTRY_OFFSET;
	struct walk_cost walks =
		walk_cost(c, measurable_bytes(&l->memory, page), page, second, 2 * second);

	bool joined = cpu_is_amd(c) && page < (2 << 20) &&
		!pages_apart(c, measurable_bytes(&l->memory, page), page);

	must_be_unresolved(l, joined, n->first, beside);
	must_be_unresolved(l, joined, n->second, beside);
	must_be_unresolved(l, joined, n->cold, beside);
	may_be_unresolved(l, none || sweep_points(l, PAGES_FROM, first, most) < 1, n->first, small);
	may_be_unresolved(l, !start || !middle || flat, n->first, few);
	may_be_unresolved(l, none || sweep_points(l, PAGES_FROM, second, most) < 1, n->second,
		small);
	may_be_unresolved(l, none || sweep_points(l, PAGES_FROM, second, most) < 1, n->hit, small);
	may_be_unresolved(l, none || sweep_points(l, PAGES_FROM, second, most) < 1, n->walk, small);
	may_be_unresolved(l, !start || !middle || !end || near || flat, n->second, few);
	may_be_unresolved(l, !start || !middle || !end || near || flat, n->hit, few);
	may_be_unresolved(l, !start || !middle || !end || near || flat, n->walk, few);
	may_be_unresolved(l, !start || !middle || !end || near || flat, n->cold,
		"the second level is not resolved");
	may_be_unresolved(l, walks.high + ENTRY_OFFSET > ENTRY_RISE * (walks.low + ENTRY_OFFSET),
		n->walk, "lines of the chase and of tables leave a cache just beyond the edge");
	cold_walk(l, n->cold, page);
}

/*
 * Expect the entries of a TLB's second level beside a neighbour. Each count is measured at several
 * moments: at some the level is seen whole.
 */
static void by_turns(struct expected_list *l, const char *name)
{
	struct expected *d = expect_shared(l, name, 1, l->cpu->taken_stlb);

	if (!d)
		return;
	d->low = less(d->value, TURNS);
	d->by_turns = true;
	d->tolerance = TURNS_TEXT;
}

static void expect_tlb(struct expected_list *l)
{
	static const struct tlb_names small = { "dtlb_4k_entries", "stlb_entries",
		"stlb_hit_cycles", "walk_cycles", "walk_cold_cycles" };
	static const struct tlb_names large = { "dtlb_2m_entries", "stlb_2m_entries",
		"stlb_2m_hit_cycles", "walk_2m_cycles", "walk_2m_cold_cycles" };
	const struct cpu *c = l->cpu;
	double first = (double)c->dtlb_4k, first_2m = (double)dtlb_2m_entries(c);

	one_translation(l, SMALL, first, (double)c->stlb, &small);
	one_translation(l, 2 << 20, first_2m, (double)stlb_2m_entries(c), &large);
	unresolvable(l, &small, first, SMALL);
	unresolvable(l, &large, first_2m, 2 << 20);
	expect_shared(l, small.first, c->dtlb_ways ? c->dtlb_ways : c->dtlb_4k, c->taken_dtlb);
	expect_shared(l, large.first, c->dtlb_ways ? c->dtlb_ways : dtlb_2m_entries(c),
		c->taken_dtlb);
	by_turns(l, small.second);
	by_turns(l, large.second);
}

static const struct row_rule rules[] = {
	ROWS("control", CYCLES, control),
	ROWS("spread", MEDIAN, spread),
	ROWS("upper", MEDIAN, upper),
};

static const struct sweep sweeps[] = {
	{ "cost", "pages", .first = PAGES_FROM, .step = 1, .ratio = BY_GRID,
		.distance_varies = true },
	{ 0 },
};

static const struct row_unit units[] = { { "", "ns/load" }, { 0 } };

const struct truth truth_tlb = {
	RULES(rules),
	.expect = expect_tlb,
	.sweeps = sweeps,
	.units = units,
};
