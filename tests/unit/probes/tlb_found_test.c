/* SPDX-License-Identifier: MIT */
/* Entries and costs from rows of `tlb`: levels of a machine that does not exist, bad points. */
#include "engine/plan.h"
#include "probes/tlb.h"
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

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

TEST(one_bad_point_is_left_out)
{
	static const double at[] = { 1, 8, 45, 91, 724, 1448, 5793, 16384 };

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

TEST(bad_points_at_the_end_end_the_curve)
{
	machine(64, 2048, 7, 40);
	add_costs(1);
	spoil(11585, -30);
	spoil(16384, 4);
	expect_all(64, 2048, 7, 40);
}

TEST(the_first_rise_is_the_first_level)
{
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

TEST(what_the_curve_does_not_reach)
{
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
TEST(where_half_of_the_rise_is_done)
{
	static const double between[] = { 20, 12 };
	double confidence[2];

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

TEST(a_curve_of_few_counts_says_so)
{
	machine(64, 2048, 7, 40);
	add_costs(8192);
	expect_open("walk_cycles", "too few points");
}

static void add_cold(double pages, double cycles)
{
	add("tlb", "cold", "pages", pages, CYCLES(cycles), PAGE_4K);
}

TEST(a_cold_walk_has_pages_enough)
{
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
	expect_open("walk_2m_cold_cycles", NOT_MEASURED); /* nothing of such pages was */
	machine(64, 2048, 7, 40);
	add("tlb", "cost", "pages", 1, 0, PAGE_2M);
	expect_open("walk_2m_cold_cycles", "the memory has too few regions of 1 GiB");
	machine(64, 2048, 7, 40);
	m.b.arena.bytes = GIB;
	add_costs(1);
	expect_open("walk_cold_cycles", NOT_MEASURED);
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

TEST(a_cliff_is_the_end_of_the_level)
{
	cliff(6);
	const struct summary *entries = value("stlb_entries");

	assert_true(!entries->reason && entries->low <= 1536 && entries->high <= 1664);
	expect("walk_cycles", 61.6);
	cliff(2); /* up to 1792 pages: a set of four may still hit */
	expect_open("walk_cycles", "the cost still rises at the most pages");
}

/* Rows whose samples scatter by a third of their median say nothing. */
TEST(what_nothing_speaks_for_is_not_resolved)
{
	machine(64, 1536, 7, 30);
	add_costs(1);
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].mad = m.results[i].median / 2;
	expect_open("walk_cycles", "the rows that it rests on disagree");
}

/* A tenth of a cycle is much of a cost of nothing, and little of what a translation costs. */
TEST(scatter_around_nothing_is_no_doubt)
{
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

static void all_lie_apart(double bytes)
{
	for (unsigned i = 0; i < m.b.nresults; i++)
		row_param(&m.rows[i], "stride_bytes", bytes);
}

/* Of small pages side by side, several may be one entry: half as sure, and the reason is said. */
TEST(pages_side_by_side_may_be_joined)
{
	static const char *const names[] = { "dtlb_4k_entries", "stlb_entries", "stlb_hit_cycles",
		"walk_cycles" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		machine(64, 1536, 7, 30);
		add_costs(1);
		all_lie_apart(16 * PAGE_4K);
		double apart = value(names[i])->confidence;

		assert_null(strstr(value(names[i])->rests_on, "joined"));
		machine(64, 1536, 7, 30);
		add_costs(1);
		all_lie_apart(PAGE_4K);
		const struct summary *s = value(names[i]);

		if (fabs(s->confidence - apart / 2) > 1e-9 || !strstr(s->rests_on, "joined"))
			fail_msg("%s: expected a confidence of %g and 'joined', came %g, %s",
				names[i], apart / 2, s->confidence, s->rests_on);
	}
}

/* The lowest samples of a difference are those in which the machine changed between its parts. */
TEST(nothing_has_a_floor)
{
	machine(64, 1536, 7, 30);
	add_costs(1);
	m.b.reading = READ_FLOOR;
	run_find(&m.b, "tlb");
	assert_null(find_value(&m.b, "dtlb_4k_entries"));
	assert_null(find_value(&m.b, "walk_cycles"));
	machine(64, 1536, 7, 30);
	add_costs(1);
	m.b.reading = READ_LOWER;
	expect("dtlb_4k_entries", 64);
}

/* What is looked at more closely are pages of the size that was measured, each count once. */
TEST(an_edge_is_bisected_in_its_own_pages)
{
	static struct plan plan;
	double next[TLB_COUNTS];

	machine(64, 1536, 7, 30);
	add_costs(1);
	m.room.facts.pages = PAGE_4K | PAGE_2M;
	m.b.plan = &plan;
	m.b.probe = probe("tlb");
	m.b.arena.bytes = GIB;
	unsigned n = tlb_next_counts(&m.b, PAGE_4K, next);

	assert_true(n > 0);
	m.b.probe->hooks->plan_edges(&m.b);
	assert_int_equal(n, plan.n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(PAGE_4K, plan.rows[i].page_bytes);
		assert_true(next[i] == row_get(&plan.rows[i], "pages", 0));
	}
}
