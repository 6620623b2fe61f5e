/* SPDX-License-Identifier: MIT */
/* Entries and costs from rows of `tlb`: levels of a machine that does not exist, bad points. */
#include "engine/plan.h"
#include "probes/tlb_find.h"
#include "tests/unit/summary_rows.h"

#define CYCLES(n) ((n)*1e9 / HZ) /* in ns */

static struct {
	double first, second; /* entries */
	double hit, walk;     /* cycles */
} t;

static double cost(double pages)
{
	return pages <= t.first ? 0 : pages <= t.second ? t.hit : t.walk;
}

/* Rows of all counts from `least` on; two an octave. */
static void add_costs(double least)
{
	for (int i = 0; i <= 28; i++) {
		double x = floor(exp2(i / 2.) + 0.5);

		if (x >= least)
			add("tlb", "cost", "pages", x, CYCLES(cost(x)), PAGE_4K);
	}
}

static void machine(double first, double second, double hit, double walk)
{
	begin();
	t.first = first;
	t.second = second;
	t.hit = hit;
	t.walk = walk;
}

/* Another cost, in cycles, of the row with that many pages. */
static void spoil(double pages, double cycles)
{
	for (unsigned i = 0; i < m.b.nresults; i++)
		if (row_get(m.results[i].row, "pages", 0) == pages) {
			m.results[i].cycles = cycles;
			return;
		}
	fail_msg("no row of %g pages", pages);
}

static const struct summary *value(const char *name)
{
	run_find(&m.b, "tlb");
	const struct summary *s = find_value(&m.b, name);

	if (!s)
		fail_msg("%s was not found", name);
	return s;
}

static void expect(const char *name, double is)
{
	const struct summary *s = value(name);

	if (!(fabs(s->value - is) <= 0.01 * is))
		fail_msg("%s: expected %g, came %g, %s", name, is, s->value,
			s->reason ? s->reason : "resolved");
}

static void expect_open(const char *name, const char *reason)
{
	const struct summary *s = value(name);

	if (!s->reason || strcmp(s->reason, reason))
		fail_msg("%s: expected not resolved, '%s', came %g, %s", name, reason, s->value,
			s->reason ? s->reason : "resolved");
}

static void expect_all(double first, double second, double hit, double walk)
{
	expect("dtlb_4k_entries", first);
	expect("stlb_entries", second);
	expect("stlb_hit_cycles", hit);
	expect("walk_cycles", walk);
}

static void one_bad_point_is_left_out(void **state)
{
	static const double at[] = { 1, 8, 45, 91, 724, 1448, 5793, 16384 };

	(void)state;
	for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
		machine(64, 2048, 7, 40);
		add_costs(1);
		spoil(at[i], -12);
		expect_all(64, 2048, 7, 40);
	}
	machine(64, 2048, 7, 40); /* not negative, but far too low */
	add_costs(1);
	spoil(5793, 3);
	expect_all(64, 2048, 7, 40);
	machine(64, 2048, 7, 40); /* far too high: the points after it are not bad */
	add_costs(1);
	spoil(181, 90);
	expect_all(64, 2048, 7, 40);
}

static void bad_points_at_the_end_end_the_curve(void **state)
{
	(void)state;
	machine(64, 2048, 7, 40);
	add_costs(1);
	spoil(11585, -30);
	spoil(16384, 4);
	expect_all(64, 2048, 7, 40);
}

static void the_first_rise_is_the_first_level(void **state)
{
	(void)state;
	machine(4, 64, 7, 40);
	add_costs(1);
	expect_all(4, 64, 7, 40);
	machine(4, 64, 7, 40); /* the smallest count is beyond it */
	add_costs(6);
	expect_open("dtlb_4k_entries", "it ends before the smallest count");
	expect("stlb_entries", 64);
	expect("stlb_hit_cycles", 7);
	expect("walk_cycles", 40);
}

static void what_the_curve_does_not_reach(void **state)
{
	(void)state;
	machine(64, 1e9, 7, 40);
	add_costs(1);
	expect("dtlb_4k_entries", 64);
	expect_open("stlb_entries", "no second rise");
	expect_open("walk_cycles", "no second rise");
	machine(64, 11585, 7, 40);
	add_costs(1);
	expect("stlb_entries", 11585);
	expect_open("walk_cycles", "the cost still rises at the most pages");
}

/* Half of the rise is done between two counts, where a line through them has it. */
static void where_half_of_the_rise_is_done(void **state)
{
	static const double between[] = { 20, 12 };
	double confidence[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		machine(64, 2048, 7, 40);
		add_costs(1);
		spoil(2896, between[i]);
		expect("stlb_entries", 2048);
		confidence[i] = value("stlb_entries")->confidence;
	}
	if (!(confidence[1] < 0.6 * confidence[0]))
		fail_msg("expected half the confidence where it is done late, came %g and %g",
			confidence[0], confidence[1]);
}

static void a_curve_of_few_counts_says_so(void **state)
{
	(void)state;
	machine(64, 2048, 7, 40);
	add_costs(8192);
	expect_open("walk_cycles", "too few points");
}

static void add_cold(double pages, double cycles)
{
	add("tlb", "cold", "pages", pages, CYCLES(cycles), PAGE_4K);
}

static void a_cold_walk_has_pages_enough(void **state)
{
	(void)state;
	machine(64, 2048, 7, 40);
	add_costs(1);
	add_cold(4096, 70);
	add_cold(8192, 90);
	expect("walk_cold_cycles", 70);
	machine(64, 2048, 7, 40); /* lines of 4096 pages lie at the edge of a cache */
	add_costs(1);
	add_cold(4096, 80);
	add_cold(8192, 60);
	expect("walk_cold_cycles", 60);
	machine(64, 2048, 7, 40); /* lines of 8192 pages miss one, in both rows */
	add_costs(1);
	spoil(8192, 90);
	add_cold(8192, 100);
	expect("walk_cold_cycles", 50);
	machine(64, 2048, 7, 40); /* no paging-structure caches, and a little noise */
	add_costs(1);
	add_cold(4096, 39);
	expect("walk_cold_cycles", 40);
	machine(64, 2896, 7, 40); /* of 4096 pages, some might be in it */
	add_costs(1);
	add_cold(4096, 70);
	add_cold(8192, 90);
	expect("walk_cold_cycles", 90);
	machine(64, 5793, 7, 40);
	add_costs(1);
	add_cold(4096, 70);
	add_cold(8192, 90);
	expect_open("walk_cold_cycles", "too few pages to miss the second level");
	machine(64, 1e9, 7, 40);
	add_costs(1);
	add_cold(8192, 90);
	expect_open("walk_cold_cycles", "the second level is not known");
	machine(64, 2048, 7, 40); /* cost was not measured with so many pages */
	add_costs(1);
	add_cold(4097, 90);
	expect_open("walk_cold_cycles", NOT_MEASURED);
	machine(64, 2048, 7, 40); /* no arena at all */
	add_costs(1);
	expect_open("walk_cold_cycles", "the memory has too few regions of 2 MiB");
	expect_open("walk_2m_cold_cycles", "the memory has too few regions of 1 GiB");
	machine(64, 2048, 7, 40);
	m.b.arena.bytes = GIB;
	add_costs(1);
	expect_open("walk_cold_cycles", NOT_MEASURED);
}

/*
 * Curves as they were measured in a guest, where another thread of the core takes a part of the
 * second level that changes: core cycles over pages. CPUID does not say how many entries there are;
 * of Golden Cove and its successors, which have 96 in the first level as this one, 2048 are known.
 */
static const struct point shared[][52] = {
	{ { 1, 0.00 }, { 2, 0.00 }, { 4, 0.00 }, { 8, 0.00 }, { 16, 0.00 }, { 32, 0.00 },
		{ 45, 0.00 }, { 64, 0.00 }, { 91, 0.00 }, { 96, 0.00 }, { 97, 0.50 }, { 98, 1.00 },
		{ 100, 1.73 }, { 104, 3.30 }, { 112, 6.61 }, { 128, 7.03 }, { 181, 7.01 },
		{ 256, 7.00 }, { 362, 7.03 }, { 512, 7.03 }, { 640, 7.05 }, { 672, 7.14 },
		{ 688, 7.02 }, { 696, 6.99 }, { 700, 7.01 }, { 702, 7.01 }, { 703, 7.03 },
		{ 704, 7.21 }, { 724, 11.36 }, { 1024, 17.00 }, { 1448, 22.44 }, { 1792, 36.39 },
		{ 2048, 40.88 }, { 2896, 52.37 }, { 4096, 54.41 }, { 5793, 57.52 },
		{ 8192, 107.75 }, { 11585, 391.36 }, { 16384, 500.14 } },
	{ { 1, 0.00 }, { 2, 0.00 }, { 4, 0.00 }, { 8, 0.00 }, { 16, 0.00 }, { 32, 0.00 },
		{ 45, 0.00 }, { 64, 0.00 }, { 91, 0.00 }, { 96, 0.00 }, { 97, 0.50 }, { 98, 1.00 },
		{ 100, 1.71 }, { 104, 3.53 }, { 112, 6.75 }, { 128, 7.02 }, { 181, 7.01 },
		{ 256, 6.99 }, { 362, 7.00 }, { 512, 7.00 }, { 724, 7.96 }, { 728, 8.03 },
		{ 732, 7.96 }, { 734, 7.82 }, { 735, 7.64 }, { 736, 8.23 }, { 768, 10.17 },
		{ 896, 16.64 }, { 1024, 21.22 }, { 1280, 30.62 }, { 1448, 32.91 }, { 2048, 47.18 },
		{ 2896, 53.26 }, { 4096, 54.35 }, { 5793, 59.88 }, { 8192, 85.29 },
		{ 11585, 386.87 } },
	{ { 1, 0.00 }, { 2, 0.00 }, { 4, 0.00 }, { 8, 0.00 }, { 16, 0.00 }, { 32, 0.00 },
		{ 45, 0.00 }, { 64, 0.00 }, { 91, 0.00 }, { 96, 0.00 }, { 97, 0.50 }, { 98, 1.00 },
		{ 100, 1.95 }, { 104, 3.76 }, { 112, 6.76 }, { 128, 7.00 }, { 181, 6.99 },
		{ 256, 7.00 }, { 362, 7.01 }, { 512, 7.01 }, { 640, 7.00 }, { 672, 7.00 },
		{ 704, 7.02 }, { 712, 7.19 }, { 720, 7.01 }, { 722, 7.18 }, { 723, 7.17 },
		{ 724, 12.53 }, { 896, 13.47 }, { 1024, 22.62 }, { 1448, 24.14 }, { 1536, 31.56 },
		{ 1792, 39.15 }, { 2048, 43.20 }, { 2896, 52.93 }, { 4096, 52.93 }, { 5793, 55.64 },
		{ 8192, 97.51 }, { 11585, 455.11 }, { 16384, 516.85 } },
	{ { 1, 0.00 }, { 2, 0.00 }, { 4, 0.00 }, { 8, 0.00 }, { 16, 0.00 }, { 32, 0.00 },
		{ 45, 0.00 }, { 64, 0.00 }, { 91, 0.00 }, { 96, 0.00 }, { 97, 0.51 }, { 98, 1.00 },
		{ 100, 1.73 }, { 104, 3.32 }, { 112, 6.16 }, { 120, 6.99 }, { 128, 7.01 },
		{ 181, 7.00 }, { 256, 7.02 }, { 362, 6.98 }, { 512, 6.99 }, { 724, 11.76 },
		{ 768, 7.03 }, { 896, 7.61 }, { 928, 7.69 }, { 944, 7.22 }, { 952, 7.55 },
		{ 953, 7.71 }, { 954, 8.12 }, { 956, 7.84 }, { 960, 8.55 }, { 1024, 10.51 },
		{ 1152, 12.56 }, { 1280, 11.87 }, { 1448, 16.57 }, { 1536, 19.13 }, { 1792, 25.82 },
		{ 2048, 32.66 }, { 2896, 44.41 }, { 4096, 49.45 }, { 5793, 54.04 }, { 7168, 65.49 },
		{ 8192, 91.11 }, { 10240, 263.03 }, { 11585, 361.76 }, { 16384, 440.09 } },
};

/* The level ends somewhere in the rise, or nothing is said; what a walk costs is not half way. */
static void entries_that_another_thread_takes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof shared / sizeof *shared; i++) {
		begin();
		for (const struct point *p = shared[i]; p < shared[i] + 52 && p->x > 0; p++)
			add("tlb", "cost", "pages", p->x, CYCLES(p->y), PAGE_4K);
		expect("dtlb_4k_entries", 96);
		expect("stlb_hit_cycles", 7);
		const struct summary *entries = value("stlb_entries");
		const struct summary *walk = find_value(&m.b, "walk_cycles");

		if (!entries->reason && !(entries->low <= 2048 && entries->high > 2048))
			fail_msg("curve %u: expected 2048 in its bracket, came %g (%g..%g)", i,
				entries->value, entries->low, entries->high);
		if (!walk->reason && !(walk->value > 45 && walk->value < 60))
			fail_msg("curve %u: expected 45 to 60 cycles, came %g", i, walk->value);
	}
}

/*
 * Walks that soon cost more, because the lines of their pages leave one cache after the other; with
 * so many of the counts beyond the cliff.
 */
static void cliff(unsigned counts)
{
	static const struct point beyond[] = { { 1664, 71 }, { 1792, 77.6 }, { 2048, 88.4 },
		{ 4096, 61.6 }, { 8192, 263 }, { 16384, 273 } };

	begin();
	for (unsigned x = 1; x <= 1024; x *= 2)
		add("tlb", "cost", "pages", x, CYCLES(x <= 32 ? 0 : 9), PAGE_4K);
	for (unsigned x = 1536; x <= 1600; x += 8) /* sets of 12 ways: one too many misses 13 */
		add("tlb", "cost", "pages", x, CYCLES(9 + 62 * (x - 1536.) / x), PAGE_4K);
	for (unsigned i = 0; i < counts; i++)
		add("tlb", "cost", "pages", beyond[i].x, CYCLES(beyond[i].y), PAGE_4K);
}

static void a_cliff_is_the_end_of_the_level(void **state)
{
	(void)state;
	cliff(6);
	const struct summary *entries = value("stlb_entries");

	assert_true(!entries->reason && entries->low <= 1536 && entries->high <= 1664);
	expect("walk_cycles", 61.6);
	cliff(2); /* up to 1792 pages: a set of four may still hit */
	expect_open("walk_cycles", "the cost still rises at the most pages");
}

/* Rows whose samples scatter by a third of their median say nothing. */
static void what_nothing_speaks_for_is_not_resolved(void **state)
{
	(void)state;
	machine(64, 1536, 7, 30);
	add_costs(1);
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].mad = m.results[i].median / 2;
	expect_open("walk_cycles", "the rows that it rests on disagree");
}

/* A tenth of a cycle is much of a cost of nothing, and little of what a translation costs. */
static void scatter_around_nothing_is_no_doubt(void **state)
{
	(void)state;
	machine(64, 1536, 7, 30);
	add_costs(1);
	double steady = value("dtlb_4k_entries")->confidence;

	machine(64, 1536, 7, 30);
	add_costs(1);
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].mad = CYCLES(0.1);
	double scattered = value("dtlb_4k_entries")->confidence;

	if (!(scattered > 0.85 * steady))
		fail_msg("expected a confidence near %g, came %g", steady, scattered);
}

/* What is looked at more closely are pages of the size that was measured, each count once. */
static void an_edge_is_bisected_in_its_own_pages(void **state)
{
	static struct plan plan;
	double next[TLB_COUNTS];

	(void)state;
	machine(64, 1536, 7, 30);
	add_costs(1);
	m.env.facts.pages = PAGE_4K | PAGE_2M;
	m.b.plan = &plan;
	m.b.probe = probe("tlb");
	m.b.arena.bytes = GIB;
	unsigned n = tlb_next_counts(&m.b, PAGE_4K, next);

	assert_true(n > 0);
	m.b.probe->plan_edges(&m.b);
	assert_int_equal(n, plan.n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(PAGE_4K, plan.rows[i].page_bytes);
		assert_true(next[i] == row_get(&plan.rows[i], "pages", 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_bad_point_is_left_out),
		cmocka_unit_test(bad_points_at_the_end_end_the_curve),
		cmocka_unit_test(the_first_rise_is_the_first_level),
		cmocka_unit_test(what_the_curve_does_not_reach),
		cmocka_unit_test(a_curve_of_few_counts_says_so),
		cmocka_unit_test(where_half_of_the_rise_is_done),
		cmocka_unit_test(a_cold_walk_has_pages_enough),
		cmocka_unit_test(entries_that_another_thread_takes),
		cmocka_unit_test(a_cliff_is_the_end_of_the_level),
		cmocka_unit_test(what_nothing_speaks_for_is_not_resolved),
		cmocka_unit_test(scatter_around_nothing_is_no_doubt),
		cmocka_unit_test(an_edge_is_bisected_in_its_own_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
