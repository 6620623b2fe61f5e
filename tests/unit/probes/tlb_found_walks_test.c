/* SPDX-License-Identifier: MIT */
/* What a walk costs where the caches make more pages cost more. */
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

/* Core cycles of `tlb` `cost`, 0 beyond the last. */
struct costs {
	double hit;
	struct point beyond[12];
	double walk;
};

static void add_cost(double pages, double cycles)
{
	add("tlb", "cost", "pages", pages, cycles * 1e9 / HZ, PAGE_4K);
}

/* 36 entries, 1280 of the second level, and the counts beyond that. */
static void add_costs(const struct costs *c)
{
	begin();
	for (unsigned x = 1; x <= 1024; x *= 2)
		add_cost(x, x <= 36 ? 0 : c->hit);
	for (unsigned x = 1280; x <= 1344; x += 8) /* sets of five: one too many misses six */
		add_cost(x, c->hit + 17 * (x - 1280.) / 256);
	for (const struct point *p = c->beyond; p->x > 0; p++)
		add_cost(p->x, p->y);
	run_find(&m.b, "tlb");
}

static const struct costs all[] = {
	/* the lines of 4096 pages miss L2, which replaces at random: later it is flatter */
	{ 11,
		{ { 1408, 20.71 }, { 1536, 27.99 }, { 2048, 27.94 }, { 2560, 28.19 },
			{ 2816, 28.34 }, { 3072, 28.42 }, { 4096, 30.26 }, { 8192, 31.38 },
			{ 16384, 31.94 } },
		27.99 },
	/* one bad point is not the begin of a plateau */
	{ 11,
		{ { 1408, 20.71 }, { 1536, 33 }, { 2048, 28 }, { 3072, 28.2 }, { 4096, 30.26 },
			{ 8192, 31.38 }, { 16384, 31.94 } },
		28 },
	/* L2 ends at 4096 pages, and its lines miss more often than those of the control */
	{ 10, { { 1408, 18.3 }, { 1536, 20 }, { 4096, 26.05 }, { 8192, 20.57 }, { 16384, 19.76 } },
		19.76 },
	/* the same at 2048, but for the first third of an octave a walk costs the same */
	{ 8,
		{ { 1408, 18.22 }, { 1536, 22.002 }, { 2048, 22.003 }, { 2896, 23.55 },
			{ 4096, 29.84 }, { 5793, 24.37 }, { 8192, 21.42 }, { 16384, 21.75 } },
		22.002 },
	/* entries that replace at random: at 1536 a fifth of the pages still hit */
	{ 11,
		{ { 1408, 22.1 }, { 1536, 24.6 }, { 2048, 26 }, { 3072, 27.3 }, { 4096, 27.9 },
			{ 8192, 28.3 }, { 16384, 28.3 } },
		27.9 },
	/* a step of a third above a hit is no walk, though it is flat for an octave */
	{ 11,
		{ { 1408, 14.5 }, { 1536, 14.5 }, { 2048, 14.5 }, { 2896, 14.6 }, { 3072, 26 },
			{ 4096, 28 }, { 8192, 28.1 }, { 16384, 28.2 } },
		28 },
};

TEST(a_walk_costs_what_the_first_pages_cost)
{
	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		add_costs(&all[i]);
		const struct summary *walk = find_value(&m.b, "walk_cycles");

		if (walk->reason || !(fabs(walk->value - all[i].walk) < 0.2))
			fail_msg("curve %u: expected %g cycles, came %g%s%s", i, all[i].walk,
				walk->value, walk->reason ? ": " : "",
				walk->reason ? walk->reason : "");
	}
}
