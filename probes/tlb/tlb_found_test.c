/* SPDX-License-Identifier: MIT */
/* Entries and costs from rows of `tlb`: levels of a machine that does not exist, bad points. */
#include "probes/tlb/tlb.c"
#include "tests/unit/summary_rows.h"

static struct {
	double first, second; /* entries */
	double hit, walk;     /* cycles */
} t;

static double cost(double pages)
{
	return pages <= t.first ? 0 : pages <= t.second ? t.hit : t.walk;
}

static void add_cost(double pages, double cycles)
{
	add("tlb", "cost", "pages", pages, CYCLES(cycles), PAGE_4K);
}

/* Its rows of all counts from `least` on; two an octave. */
static void machine_from(double least, double first, double second, double hit, double walk)
{
	begin_of("tlb");
	t.first = first;
	t.second = second;
	t.hit = hit;
	t.walk = walk;
	for (int i = 0; i <= 28; i++) {
		double x = floor(exp2(i / 2.) + 0.5);

		if (x >= least)
			add_cost(x, cost(x));
	}
}

static void machine(double first, double second, double hit, double walk)
{
	machine_from(1, first, second, hit, walk);
}

static struct result *row_of(double pages)
{
	for (unsigned i = 0; i < m.b.nresults; i++)
		if (row_get(m.results[i].row, "pages", 0) == pages)
			return &m.results[i];
	fail_msg("no row of %g pages", pages);
	return NULL;
}

static void spoil(double pages, double cycles)
{
	row_of(pages)->cycles = cycles;
}

static void expect(const char *name, double is)
{
	expect_found(name, is, 0.01);
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
		spoil(at[i], -12);
		expect_all(64, 2048, 7, 40);
	}
	machine(64, 2048, 7, 40); /* not negative, but far too low */
	spoil(5793, 3);
	expect_all(64, 2048, 7, 40);
	machine(64, 2048, 7, 40); /* far too high: the points after it are not bad */
	spoil(181, 90);
	expect_all(64, 2048, 7, 40);
}

TEST(bad_points_at_the_end_end_the_curve)
{
	machine(64, 2048, 7, 40);
	spoil(11585, -30);
	spoil(16384, 4);
	expect_all(64, 2048, 7, 40);
}

TEST(the_first_rise_is_the_first_level)
{
	machine(4, 64, 7, 40);
	expect_all(4, 64, 7, 40);
	machine_from(6, 4, 64, 7, 40); /* the smallest count is beyond it */
	expect_open("dtlb_4k_entries", "it ends before the smallest count");
	expect("stlb_entries", 64);
	expect("stlb_hit_cycles", 7);
	expect("walk_cycles", 40);
}

TEST(what_the_curve_does_not_reach)
{
	machine(64, 1e9, 7, 40);
	expect("dtlb_4k_entries", 64);
	expect_open("stlb_entries", "no second rise");
	expect_open("walk_cycles", "no second rise");
	machine(64, 11585, 7, 40);
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
	machine_from(8192, 64, 2048, 7, 40);
	expect_open("walk_cycles", "too few points");
}

/* In whichever pages; with paging-structure caches, or without and a little noise. */
TEST(a_cold_walk_has_pages_enough)
{
	static const struct {
		double second;
		struct curve_point upper[2]; /* pages and cycles */
		double cold;
		const char *reason;
	} cases[] = { { 2048, { { 4096, 30 }, { 8192, 31 } }, 70, NULL },
		{ 2048, { { 4096, -1 } }, 40, NULL },
		{ 2048, { { 4096, -2 } }, 0, "pages of many regions cost less than those of one" },
		{ 2896, { { 4096, 20 }, { 8192, 30 } }, 70, NULL }, /* some might be in it */
		{ 5793, { { 4096, 30 }, { 8192, 30 } }, 0,
			"too few pages to miss the second level" },
		{ 1e9, { { 8192, 30 } }, 0, "the second level is not known" },
		{ 2048, { { 0, 0 } }, 0, "the memory has too few regions of 2 MiB" } };

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		machine(64, cases[i].second, 7, 40);
		for (const struct curve_point *p = cases[i].upper;
			p < cases[i].upper + 2 && p->x > 0; p++)
			add("tlb", "upper", "pages", p->x, CYCLES(p->y), PAGE_4K);
		if (cases[i].reason)
			expect_open("walk_cold_cycles", cases[i].reason);
		else
			expect("walk_cold_cycles", cases[i].cold);
	}
	expect_open("walk_2m_cold_cycles", NOT_MEASURED); /* nothing of such pages was */
	m.b.arena.bytes = GIB;
	expect_open("walk_cold_cycles", NOT_MEASURED);
	begin_of("tlb");
	add("tlb", "cost", "pages", 1, 0, PAGE_2M);
	expect_open("walk_2m_cold_cycles", "the memory has too few regions of 1 GiB");
}

/*
 * Walks that soon cost more, because the lines of their pages leave one cache after the other; with
 * so many of the counts beyond the cliff.
 */
static void cliff(unsigned counts)
{
	static const struct curve_point beyond[] = { { 1664, 71 }, { 1792, 77.6 }, { 2048, 88.4 },
		{ 4096, 61.6 }, { 8192, 263 }, { 16384, 273 } };

	begin_of("tlb");
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
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].mad = m.results[i].median / 2;
	expect_open("walk_cycles", "the rows that it rests on disagree");
}

/* A tenth of a cycle is much of a cost of nothing, and little of what a translation costs. */
TEST(scatter_around_nothing_is_no_doubt)
{
	machine(64, 1536, 7, 30);
	double steady = value("dtlb_4k_entries")->confidence;

	machine(64, 1536, 7, 30);
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].mad = CYCLES(0.1);
	double scattered = value("dtlb_4k_entries")->confidence;

	if (!(scattered > 0.85 * steady))
		fail_msg("expected a confidence near %g, came %g", steady, scattered);
}

/* All samples alike, each with a disturbance in it: what a translation costs has it in it, too. */
TEST(what_was_taken_of_all_samples_is_a_cost)
{
	static const char *const names[] = { "walk_cycles", "stlb_hit_cycles" };

	for (unsigned k = 0; k < 2; k++) {
		machine(64, 1536, 7, 30);
		double quiet = value(names[k])->confidence;

		machine(64, 1536, 7, 30);
		for (unsigned i = 0; i < m.b.nresults; i++)
			m.results[i].disturbed = m.results[i].samples;
		double taken = value(names[k])->confidence;

		if (!(taken < 0.25 * quiet))
			fail_msg("%s: expected a quarter of %g at most, came %g", names[k], quiet,
				taken);
	}
}

/* 1536 entries, by pages so many bytes apart. */
static void machine_apart(double bytes)
{
	machine(64, 1536, 7, 30);
	for (unsigned i = 0; i < m.b.nresults; i++)
		row_param(&m.rows[i], "stride_bytes", bytes);
}

/*
 * Several small pages side by side may share one entry: the confidence halves, and the reason is
 * given.
 */
TEST(pages_side_by_side_may_be_joined)
{
	static const char *const names[] = { "dtlb_4k_entries", "stlb_entries", "stlb_hit_cycles",
		"walk_cycles" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		machine_apart(16 * PAGE_4K);
		double apart = value(names[i])->confidence;

		assert_null(strstr(value(names[i])->rests_on, "joined"));
		machine_apart(PAGE_4K);
		const struct summary *s = value(names[i]);

		if (fabs(s->confidence - apart / 2) > 1e-9 || !strstr(s->rests_on, "joined"))
			fail_msg("%s: expected a confidence of %g and 'joined', came %g, %s",
				names[i], apart / 2, s->confidence, s->rests_on);
	}
}

static struct cpuid of_amd(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	return leaf ? (struct cpuid){ 0 }
		    : (struct cpuid){ 4, 0x68747541, 0x444d4163, 0x69746e65 }; /* AuthenticAMD */
}

/*
 * AMD's processors join pages side by side, so these rows give no number of entries; the costs
 * hold.
 */
TEST(pages_side_by_side_are_no_entries_of_amds_processors)
{
	static const char *const names[] = { "dtlb_4k_entries", "stlb_entries" };

	for (unsigned i = 0; i < 2; i++) {
		machine_apart(PAGE_4K);
		m.room.cpuid = of_amd;
		expect_open(names[i],
			"pages side by side, which such processors join to one entry");
		machine_apart(16 * PAGE_4K);
		m.room.cpuid = of_amd;
		assert_null(value(names[i])->reason);
	}
	machine_apart(PAGE_4K);
	m.room.cpuid = of_amd;
	expect("walk_cycles", 30);
}

/* The lowest samples of a difference are those in which the machine changed between its parts. */
TEST(nothing_has_a_floor)
{
	machine(64, 1536, 7, 30);
	assert_null(value_by(READ_FLOOR, "dtlb_4k_entries"));
	assert_null(value_by(READ_FLOOR, "walk_cycles"));
	assert_true(value_by(READ_LOWER, "dtlb_4k_entries")->value == 64);
}

/* The rows that are planned next, with pages of both sizes. */
static unsigned plan_next(size_t page, double next[TLB_COUNTS])
{
	static struct plan plan;

	plan.n = 0;
	m.room.facts.pages = PAGE_4K | PAGE_2M;
	m.b.plan = &plan;
	m.b.arena.bytes = GIB;
	return tlb_next_counts(&m.b, &m.found.reader, page, next);
}

/* The rows that bisect an edge use the page size that was measured, and each count once. */
TEST(an_edge_is_bisected_in_its_own_pages)
{
	double next[TLB_COUNTS];

	machine(64, 1536, 7, 30);
	unsigned n = plan_next(PAGE_4K, next);

	assert_true(n > 0);
	m.b.probe->hooks->plan_edges(&m.b, &m.found.reader);
	assert_int_equal(n, m.b.plan->n);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(PAGE_4K, m.b.plan->rows[i].page_bytes);
		assert_true(next[i] == row_get(&m.b.plan->rows[i], "pages", 0));
	}
}

/* Tests entries that a neighbour takes at times, and curves that too little memory cuts off. */

/*
 * Add rows of 2048 entries, some of which a neighbour holds during the first measurement of each
 * count from 1448 on.
 */
static void add_taken(void)
{
	machine(64, 2048, 7, 40);
	spoil(1448, 25);
	spoil(2048, 33);
}

TEST(what_once_held_so_many_has_so_many)
{
	add_taken();
	assert_true(value("stlb_entries")->high == 1448);
	add_taken();
	add_cost(2048, 7);
	assert_true(value("stlb_entries")->high == 1448); /* one measurement may be a bad one */
	add_taken();
	add_cost(2048, 7);
	add_cost(2048, 6.9);
	expect_least("stlb_entries", 2048);
	expect("walk_cycles", 40); /* the least beyond, where nothing hits */
	add_taken();
	add_cost(2048, 7);
	add_cost(2048, 40); /* at other moments the neighbour is there */
	add_cost(2048, -7); /* and a negative cost is ignored */
	assert_true(value("stlb_entries")->high == 1448);
}

/*
 * A few of 2048 pages need a walk, at half the cost of later walks: each of the others has an
 * entry.
 */
TEST(pages_that_hit_have_an_entry_each)
{
	add_taken();
	add_cost(2048, 7 + 13 / 16.);
	add_cost(2048, 7 + 13 / 14.);
	expect_least("stlb_entries", 2048 / 14 * 13 + 3); /* the second most */
	add_taken();
	add_cost(2048, 7 + 13 / 5.);
	add_cost(2048, 7 + 13 / 5.);
	assert_true(value("stlb_entries")->high == 1448); /* too many are walked for */
}

/*
 * Rows as of a Sapphire Rapids guest, where the core's other thread holds a part of the entries all
 * the time: 724 pages hit at two moments; at every moment some of 1024 and 1448 pages need a walk,
 * and most of 2048.
 */
static void add_always_taken(unsigned moments)
{
	static const struct curve_point at[] = { { 1024, 12 }, { 1448, 22 }, { 2048, 38 } };

	machine(64, 512, 7, 55);
	add_cost(724, 7);
	add_cost(724, 7);
	for (unsigned i = 0; i < sizeof at / sizeof at[0]; i++) {
		spoil(at[i].x, at[i].y);
		for (unsigned k = 1; k < moments; k++)
			add_cost(at[i].x, at[i].y);
	}
}

TEST(what_is_taken_all_the_time_is_not_the_end)
{
	add_always_taken(5);
	expect("stlb_entries", 724);
	assert_true(value("stlb_entries")->high == 2048);
	expect("walk_cycles", 55);
	add_always_taken(4);
	expect_least("stlb_entries", 724);
	expect("walk_cycles", 55);
}

/* Pages of 2 MiB up to 1448, the memory has no more; 65 of them cost what so many cost. */
static void add_large(double plateau)
{
	machine(64, 2048, 7, 40);
	t.hit = plateau;
	for (int i = 0; i <= 21; i++) {
		double x = floor(exp2(i / 2.) + 0.5);

		add("tlb", "cost", "pages", x, CYCLES(cost(x)), PAGE_2M);
	}
	add("tlb", "cost", "pages", 65, CYCLES(plateau), PAGE_2M);
}

TEST(a_level_that_does_not_end_has_at_least_so_many)
{
	add_large(7);
	expect_least("stlb_2m_entries", 1024); /* the second most, as 1448 were measured once */
	expect("stlb_2m_hit_cycles", 7);
	expect_open("walk_2m_cycles", "no second rise");
	add_large(7);
	add("tlb", "cost", "pages", 1448, CYCLES(7), PAGE_2M);
	expect_least("stlb_2m_entries", 1448);
	add_large(20); /* as well a walk, where these pages have no second level */
	expect_open("stlb_2m_entries", "no second rise");
}

TEST(what_may_hold_more_is_measured_at_more_moments)
{
	double next[TLB_COUNTS];

	add_large(7);
	assert_int_equal(0, plan_next(PAGE_2M, next));
	assert_int_equal(2, m.b.plan->n); /* 1024 and 1448, once more each */
	assert_true(row_get(&m.b.plan->rows[0], "pages", 0) == 1024);
	assert_true(row_get(&m.b.plan->rows[1], "pages", 0) == 1448);
}

/* Entries and walks where the cost rises slowly or twice, where rows scatter, beside claims. */

/* Leaf 18h: level, pages (1: 4 KiB, 2: 2 MiB) and entries of data buffers. */
static struct cpuid four_buffers(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	static const uint32_t buffers[4][3] = { { 1, 1, 96 }, { 1, 2, 32 }, { 2, 1, 2048 },
		{ 2, 2, 1024 } };

	if (leaf == 0)
		return (struct cpuid){ 0x18, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf != 0x18 || subleaf > 3)
		return (struct cpuid){ 0 };
	const uint32_t *of = buffers[subleaf];

	return (struct cpuid){ 3, of[1] | 1 << 16, of[2], 1 | of[0] << 5 };
}

TEST(each_level_has_its_claim)
{
	machine(64, 1024, 7, 40);
	m.room.cpuid = four_buffers;
	assert_true(value("dtlb_4k_entries")->claimed == 96);
	assert_true(value("stlb_entries")->claimed == 2048);
	assert_true(value("dtlb_2m_entries")->claimed == 32);
	assert_true(value("stlb_2m_entries")->claimed == 1024);
	assert_true(isnan(value("walk_cycles")->claimed));
}

/* The walk is read where it is first flat; that row's scatter counts, also after a bad point. */
TEST(the_row_behind_a_point)
{
	static const struct {
		double pages;
		bool doubted;
	} rows[] = { { 1448, true }, { 1024, false }, { 2048, false }, { 2896, false } };

	machine(64, 1024, 7, 40);
	double sure = value("walk_cycles")->confidence;

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		machine(64, 1024, 7, 40);
		row_of(8)->cycles = -12; /* is left out */
		row_of(rows[i].pages)->mad = 0.1 * row_of(rows[i].pages)->median;
		double came = value("walk_cycles")->confidence;

		expect("walk_cycles", 40);
		if (rows[i].doubted != (came < 0.9 * sure))
			fail_msg("scatter of %g pages: confidence %g, without %g", rows[i].pages,
				came, sure);
	}
}

/* The rise takes three octaves: the level may end anywhere until 9 tenths of it are done. */
TEST(a_slow_rise_is_a_wide_bracket)
{
	static const struct {
		double pages, cycles;
	} rise[] = { { 1448, 9 }, { 2048, 15 }, { 2896, 21 }, { 4096, 31 }, { 5793, 36.6 },
		{ 8192, 39 } };

	machine(64, 1024, 7, 40);
	for (unsigned i = 0; i < sizeof rise / sizeof *rise; i++)
		row_of(rise[i].pages)->cycles = rise[i].cycles;
	const struct summary *s = value("stlb_entries");

	assert_true(s->value == 1024 && s->low == 1024);
	assert_true(s->high == 8192); /* at 5793 pages 36.6 of 36.7 cycles */
	expect("walk_cycles", 40);
}

static void cost_from(double pages, double cycles)
{
	for (unsigned i = 0; i < m.b.nresults; i++)
		if (row_get(m.results[i].row, "pages", 0) >= pages)
			m.results[i].cycles = cycles;
}

static void expect_next(unsigned n, double first, double second)
{
	const double is[] = { first, second };
	double next[TLB_COUNTS];

	unsigned came = tlb_next_counts(&m.b, &m.found.reader, PAGE_4K, next);

	if (came != n)
		fail_msg("expected %u counts, came %u", n, came);
	for (unsigned i = 0; i < n; i++)
		if (next[i] != is[i])
			fail_msg("count %u: expected %g, came %g", i, is[i], next[i]);
}

/* Beyond the walks' plateau caches make them cost more: that edge is none of the buffers'. */
TEST(what_is_bisected)
{
	machine(64, 1024, 7, 40);
	cost_from(8000, 300);
	expect_next(2, 80, 1280);
	machine(64, 1024, 7, 40); /* the same at the last count alone */
	cost_from(12000, 300);
	expect_next(2, 80, 1280);
	add("tlb", "cost", "pages", 65, CYCLES(7), PAGE_4K); /* nothing lies between */
	expect_next(1, 1280, 0);
	m.b.nresults = 0;
	expect_next(0, 0, 0);
}

/* Tests the cost of a walk on curves that keep rising because more pages miss more caches. */

/* Costs of `tlb` `cost` in core cycles; x is 0 after the last point. */
struct stated_costs {
	double hit;
	struct curve_point beyond[12];
	double walk;
};

/* Add the costs of 36 entries, of 1280 in the second level, and of the counts beyond. */
static void add_costs_walks(const struct stated_costs *c)
{
	begin_of("tlb");
	for (unsigned x = 1; x <= 1024; x *= 2)
		add_cost(x, x <= 36 ? 0 : c->hit);
	for (unsigned x = 1280; x <= 1344; x += 8) /* sets of five: one too many misses six */
		add_cost(x, c->hit + 17 * (x - 1280.) / 256);
	for (const struct curve_point *p = c->beyond; p->x > 0; p++)
		add_cost(p->x, p->y);
	run_find(&m.b, &m.found, "tlb");
}

static const struct stated_costs all[] = {
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
		add_costs_walks(&all[i]);
		const struct summary *walk = find_value(&m.found, VALUE_walk_cycles);

		if (walk->reason || !(fabs(walk->value - all[i].walk) < 0.2))
			fail_msg("curve %u: expected %g cycles, came %g%s%s", i, all[i].walk,
				walk->value, walk->reason ? ": " : "",
				walk->reason ? walk->reason : "");
	}
}
