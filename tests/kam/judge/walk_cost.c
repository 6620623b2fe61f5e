/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/kam/judge/conditions.h"
#include "tests/kam/judge/tolerances.h"
#include "tests/kam/judge/walk_cost.h"

#define ENTRY         8   /* bytes of a table's entry */
#define GROUPS_LEAST  512 /* with one page used of a group, */
#define PAGES_GROUP   16  /* else they are side by side; and so are pages of 2 MiB */
#define SOFT          1.5 /* a level without a cliff holds this much more or less */
#define FAR_FROM_EDGE 4   /* times what a level holds */
#define SHARES        0   /* instead: each level has a share of the loads */
#define SMALL         (4 << 10)
#define LARGE         (2 << 20)
#define REGION_PAGES  512 /* that one entry of the upper table is for */

int pages_apart(const struct cpu *c, double arena, double page)
{
	return page < LARGE &&
		GROUPS_LEAST * (PAGES_GROUP * page + node_bytes(c) + 8) <= arena - 3 * 4096;
}

static double level_cycles(const struct cpu *c, unsigned level)
{
	return level < cpu_levels(c) ? (double)c->level[level].latency : memory_cycles(c);
}

double missing_share(const struct cpu *c, unsigned level, double bytes)
{
	double r = bytes / level_holds(c, level), m = 1;
	unsigned i;

	for (i = 0; c->level[level].policy != POLICY_LRU && i < 100; i++)
		m = 1 - exp(-r * m);
	return m;
}

/* Returns the mean latency of all loads: each level answers the share that it does not miss. */
static double mean_latency(const struct cpu *c, double bytes)
{
	double left = 1, sum = 0;
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++) {
		bool fits = bytes <= level_holds(c, i);
		double missed = fits ? 0 : fmin(left, missing_share(c, i, bytes));

		sum += (left - missed) * level_cycles(c, i);
		left = missed;
	}
	return sum + left * level_cycles(c, i);
}

/*
 * Returns the latency of the level that holds so many bytes, walked through again and again.
 * SHARES: the mean over all levels.
 */
static double latency_of(const struct cpu *c, double bytes, double soft)
{
	unsigned i = 0;

	if (soft == SHARES)
		return mean_latency(c, bytes);
	while (i < cpu_levels(c) && bytes > level_holds(c, i) * (soft_edge(c, i) ? soft : 1))
		i++;
	return level_cycles(c, i);
}

/*
 * Returns the mean cycles that walks take longer because some are the first of their region;
 * `pages` are visited region by region.
 */
static double first_of_region(const struct cpu *c, double arena, double page, double pages)
{
	double each = REGION_PAGES / (pages_apart(c, arena, page) ? PAGES_GROUP : 1);

	return c->upper && pages / each > (double)c->upper ? (double)c->walk_upper / each : 0;
}

/*
 * Returns the cycles of a load of a line after so many bytes of other lines. With random
 * replacement and SHARES: as if each of these lines had taken a place of L1.
 */
static double latency_after(const struct cpu *c, double bytes, double soft)
{
	double gone = 1 - exp(-bytes / level_holds(c, 0));

	if (soft == SHARES && c->level[0].policy == POLICY_RANDOM)
		return (1 - gone) * level_cycles(c, 0) + gone * level_cycles(c, 1);
	return latency_of(c, bytes, soft);
}

/*
 * Returns the cycles of loading a page's entry from a table whose lines come from a level of
 * `table` cycles. Several pages side by side have their entries in one line: the first one brings
 * the line, and until the next one of the region there are as many loads as the region's table has
 * lines, on average.
 */
static double entry_load(const struct cpu *c, bool apart, double table, double soft)
{
	double shared = (double)c->line / ENTRY, lines = REGION_PAGES / shared;
	double again = latency_after(c, lines * (node_bytes(c) + (double)c->line), soft);

	return apart ? table : again + fmax(0, table - again) / shared;
}

/*
 * Returns the cost of a walk at this number of pages. The control has a node for each page; the
 * spread chase also has a line of the table for each page, or for as many pages as have their
 * entries in one line.
 */
static double at_count(const struct cpu *c, double arena, double page, double pages, double soft)
{
	bool apart = pages_apart(c, arena, page);
	double tables = apart ? (double)c->line : ENTRY;
	double control = latency_of(c, pages * node_bytes(c), soft);
	double spread = latency_of(c, pages * (node_bytes(c) + tables), soft);

	if (!c->walk_loads)
		return (double)c->walk;
	return (double)c->walk + spread - control + entry_load(c, apart, spread, soft) -
		(double)c->level[0].latency;
}

/*
 * The edge of a level that is no cliff lies at one of these multiples of the level's size; SHARES:
 * each level has a share of the loads.
 */
static const double edges[] = { 1 / SOFT, SOFT, SHARES };
#define EDGES  (sizeof(edges) / sizeof(*edges))
#define COUNTS 32 /* of pages that are looked at, and one */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Returns true if an edge that is no cliff lies near from..to pages and their tables. There chance
 * decides which loads of a chase miss, so a walk may cost anything from one level's latency to
 * another's.
 */
static bool by_chance(const struct cpu *c, double from, double to)
{
	double least = from * node_bytes(c), most = to * (node_bytes(c) + (double)c->line);
	unsigned i;

	for (i = 0; i < cpu_levels(c); i++)
		if (soft_edge(c, i) && level_holds(c, i) * FAR_FROM_EDGE > least &&
			level_holds(c, i) < most * FAR_FROM_EDGE)
			return true;
	return false;
}

struct walk_cost walk_cost(const struct cpu *c, double arena, double page, double from, double to)
{
	double costs[EDGES * (COUNTS + 1)];
	struct walk_cost w = { 0 };
	unsigned n = 0, i;

	for (i = 0; i < EDGES * (COUNTS + 1); i++) {
		double pages = from * pow(to / from, (double)(i / EDGES) / COUNTS);

		costs[n++] = at_count(c, arena, page, pages, edges[i % EDGES]) +
			first_of_region(c, arena, page, pages);
	}
	qsort(costs, n, sizeof(*costs), by_value);
	w.low = costs[0];
	w.high = costs[n - 1];
	for (i = 1; i < n && !by_chance(c, from, to); i++)
		if (costs[i] - costs[i - 1] > w.above - w.below) {
			w.below = costs[i - 1];
			w.above = costs[i];
		}
	return w;
}

struct walk_cost upper_cost(const struct cpu *c)
{
	double upper = c->upper && c->upper < UPPER_REGIONS ? (double)c->walk_upper : 0;
	double later = c->walk_loads && soft_edge(c, 0)
		? IN_UPPER_L2 / 100 * (level_cycles(c, 1) - level_cycles(c, 0))
		: 0;

	return (struct walk_cost){ .low = upper, .high = upper + later };
}

/*
 * Returns after how many loads so many lines were used since. A load uses `beside` lines that no
 * other one does, and the share `walked` of the loads one of `own` lines by chance.
 */
static double loads_of_lines(double lines, double beside, double own, double walked)
{
	double least = 0, most = lines / beside;
	unsigned i;

	for (i = 0; i < 60; i++) {
		double loads = (least + most) / 2;
		double used = loads * beside + own * (1 - exp(-loads * walked / own));

		*(used < lines ? &least : &most) = loads;
	}
	return least;
}

/*
 * Returns the cycles of loading an entry beyond a hit in L1, and in *held those in which the load
 * holds a miss buffer. The entries of `pages` lie side by side in lines, and the share `walked` of
 * all loads needs one, by chance. If lines come in pairs, L2 gets both. Others bring lines to the
 * last cache.
 */
static double entry_cycles(const struct cpu *c, double pages, double walked, double *held)
{
	double own = pages * ENTRY / (double)c->line, left = 1, sum = 0;
	unsigned i;

	*held = 0;
	for (i = 0; i <= cpu_levels(c); i++) {
		double pair = i && c->adjacent ? 2 : 1;
		double lines = i < cpu_levels(c) ? level_holds(c, i) / (double)c->line : INFINITY;
		double missing = i < cpu_levels(c)
			? exp(-loads_of_lines(lines / pair, 1, own, walked) * walked / own)
			: 0;

		sum += (left - missing) * (level_cycles(c, i) - level_cycles(c, 0));
		*held += i ? (left - missing) * level_cycles(c, i) : 0;
		left = missing;
	}
	return sum;
}

/* Adds what a walk reads of one dimension's tables, whose pages of `page` bytes hold `bytes`. */
static void read_tables(const struct cpu *c, struct translated *t, double bytes, double page,
	double dimensions)
{
	const uint64_t held_of[] = { c->walks.pde, c->walks.pdpte, c->walks.pml4e, 0 };
	unsigned above = page < LARGE ? 0 : 1;
	double reads = 1, pages = bytes / page;

	for (;; above++) {
		double each = (double)c->walks.read + level_cycles(c, 0), held;

		t->walk += reads * (each + entry_cycles(c, pages, t->walked * reads, &held));
		t->held += reads * held;
		pages = ceil(pages / REGION_PAGES);
		if (above > 2)
			return;
		reads *= fmax(0, 1 - (double)held_of[above] / (dimensions * pages));
		if (reads <= 0)
			return;
	}
}

/* A page of the first or second kind: how many there are, and the share of loads that go there. */
struct page_kind {
	double pages, loads;
};

/*
 * Returns the share of loads of the i-th kind that find their page among so many entries, which the
 * kinds share and LRU replaces: what was used within the last `since` loads is there (Che's
 * approximation, exact for one kind).
 */
static double found(double entries, const struct page_kind k[2], unsigned i)
{
	double least = 0, most = 1e12, since = 0;
	unsigned n, round;

	if (k[0].pages + k[1].pages <= entries || k[i].pages <= 0)
		return 1;
	for (round = 0; round < 100; round++) {
		double used = 0;

		since = (least + most) / 2;
		for (n = 0; n < 2; n++)
			used += k[n].pages > 0
				? k[n].pages * (1 - exp(-since * k[n].loads / k[n].pages))
				: 0;
		*(used < entries ? &least : &most) = since;
	}
	return 1 - exp(-since * k[i].loads / k[i].pages);
}

/*
 * Under a host: an entry is of the smaller of the guest's page and the host's, which are of two
 * kinds. The guest's upper entries are taken to be held where the walk needs them.
 */
static struct translated translated_nested(const struct cpu *c, double bytes, double page)
{
	double large = (double)c->nested.large / 100, dimensions = page < LARGE ? 2 : 1;
	const double host[] = { SMALL, LARGE }, share[] = { 1 - large, large };
	struct translated t = { 0 };
	struct page_kind k[2];
	unsigned i;

	for (i = 0; i < 2; i++)
		k[i] = (struct page_kind){ bytes * share[i] / fmin(page, host[i]), share[i] };
	for (i = 0; i < 2; i++) {
		struct translated one = { .walk = (double)c->walk };
		double first = found((double)c->dtlb_4k, k, i);
		double second = fmax(first, found((double)c->stlb, k, i));

		one.walked = (1 - second) * share[i];
		if (one.walked > 0) {
			read_tables(c, &one, bytes, page, dimensions);
			read_tables(c, &one, bytes * share[i], host[i], dimensions);
		}
		t.walked += one.walked;
		t.held += one.walked * one.held;
		t.cycles += (second - first) * share[i] * (double)c->stlb_latency +
			one.walked * one.walk;
		t.walk += one.walked * one.walk;
	}
	t.walk = t.walked > 0 ? t.walk / t.walked : (double)c->walk;
	return t;
}

double walk_reach(const struct cpu *c)
{
	double large = c->nested.tables ? (double)c->nested.large / 100 : 1;

	return (double)stlb_2m_entries(c) * (large >= 1 ? LARGE : SMALL);
}

struct translated translated(const struct cpu *c, double bytes, double page)
{
	bool small = page < LARGE;
	double pages = bytes / page, region = page * REGION_PAGES, regions = bytes / region;
	double entries = small ? pages / (double)c->coalesce : pages;
	double first = (double)(small ? c->dtlb_4k : dtlb_2m_entries(c)) / entries;
	double second = (double)(small ? c->stlb : stlb_2m_entries(c)) / entries;
	double cold = c->upper ? fmax(0, 1 - (double)c->upper / regions) : 0;
	struct translated t = { .walk = (double)c->walk + cold * (double)c->walk_upper };

	if (c->nested.tables)
		return translated_nested(c, bytes, page);
	first = fmin(1, first);
	second = fmax(first, fmin(1, second));
	t.walked = 1 - second;
	if (c->walk_loads && t.walked > 0)
		t.walk += entry_cycles(c, pages, t.walked, &t.held);
	t.held *= t.walked;
	t.cycles = (second - first) * (double)c->stlb_latency + t.walked * t.walk;
	return t;
}
