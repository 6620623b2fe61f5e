/* SPDX-License-Identifier: MIT */
/* Entries and walks where the cost rises slowly or twice, where rows scatter, beside claims. */
#include "engine/find.h"
#include "probes/tlb.h"
#include "tests/unit/summary_rows.h"
#include "tests/unit/test.h"

#define CYCLES(n) ((n)*1e9 / HZ) /* in ns */

/* 64 and 1024 entries: the cost of so many pages, in cycles. */
static double cost(double pages)
{
	return pages <= 64 ? 0 : pages <= 1024 ? 7 : 40;
}

/* Two rows an octave, up to 16384 pages; costs from `many` pages on are `dear`. */
static void machine(double many, double dear)
{
	begin();
	for (int i = 0; i <= 28; i++) {
		double x = floor(exp2(i / 2.) + 0.5);

		add("tlb", "cost", "pages", x, CYCLES(x < many ? cost(x) : dear), PAGE_4K);
	}
}

static struct result *row_of(double pages)
{
	for (unsigned i = 0; i < m.b.nresults; i++)
		if (row_get(m.results[i].row, "pages", 0) == pages)
			return &m.results[i];
	fail_msg("no row of %g pages", pages);
	return NULL;
}

static const struct summary *value(const char *name)
{
	run_find(&m.b, "tlb");
	const struct summary *s = find_value(&m.b, name);

	if (!s)
		fail_msg("%s was not found", name);
	return s;
}

static void expect_near(const char *name, double is, double came)
{
	if (!(fabs(came - is) <= 0.01 * is))
		fail_msg("%s: expected %g, came %g", name, is, came);
}

/* Leaf 18h: level, pages (1: 4 KiB, 2: 2 MiB) and entries of data buffers. */
static struct cpuid four_buffers(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	static const uint32_t buffers[4][3] = { { 1, 1, 96 }, { 1, 2, 32 }, { 2, 1, 2048 },
		{ 2, 2, 1024 } };

	(void)room;
	if (leaf == 0)
		return (struct cpuid){ 0x18, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf != 0x18 || subleaf > 3)
		return (struct cpuid){ 0 };
	const uint32_t *of = buffers[subleaf];

	return (struct cpuid){ 3, of[1] | 1 << 16, of[2], 1 | of[0] << 5 };
}

TEST(each_level_has_its_claim)
{
	machine(1e9, 0);
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

	machine(1e9, 0);
	double sure = value("walk_cycles")->confidence;

	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		machine(1e9, 0);
		row_of(8)->cycles = -12; /* is left out */
		row_of(rows[i].pages)->mad = 0.1 * row_of(rows[i].pages)->median;
		double came = value("walk_cycles")->confidence;

		expect_near("walk_cycles", 40, value("walk_cycles")->value);
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

	machine(1e9, 0);
	for (unsigned i = 0; i < sizeof rise / sizeof *rise; i++)
		row_of(rise[i].pages)->cycles = rise[i].cycles;
	const struct summary *s = value("stlb_entries");

	assert_true(s->value == 1024 && s->low == 1024);
	assert_true(s->high == 8192); /* at 5793 pages 36.6 of 36.7 cycles */
	expect_near("walk_cycles", 40, value("walk_cycles")->value);
}

static void expect_next(unsigned n, double first, double second)
{
	const double is[] = { first, second };
	double next[TLB_COUNTS];

	m.b.probe = probe("tlb");
	unsigned came = tlb_next_counts(&m.b, PAGE_4K, next);

	if (came != n)
		fail_msg("expected %u counts, came %u", n, came);
	for (unsigned i = 0; i < n; i++)
		if (next[i] != is[i])
			fail_msg("count %u: expected %g, came %g", i, is[i], next[i]);
}

/* Beyond the walks' plateau caches make them cost more: that edge is none of the buffers'. */
TEST(what_is_bisected)
{
	machine(8000, 300);
	expect_next(2, 80, 1280);
	machine(12000, 300); /* the same at the last count alone */
	expect_next(2, 80, 1280);
	add("tlb", "cost", "pages", 65, CYCLES(7), PAGE_4K); /* nothing lies between */
	expect_next(1, 1280, 0);
	m.b.nresults = 0;
	expect_next(0, 0, 0);
}
