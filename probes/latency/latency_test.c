/* SPDX-License-Identifier: MIT */
/*
 * Tests the values found on the main curve of `latency`: the caches in order, memory, and the
 * confidence of each.
 */
#include "tests/unit/summary_rows.h"

#define WHOLE (1.01 * GIB) /* up to 1 GiB */

static const char curve[] = "latency pointer-padded, the sweep over bytes";
static uint64_t claimed[4]; /* bytes that CPUID claims of L1d, L2 ... */

static struct cpuid claims_of(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && subleaf < 4 && claimed[subleaf])
		return (struct cpuid){ (subleaf ? 3 : 1) | (subleaf + 1) << 5, 63,
			(uint32_t)(claimed[subleaf] / 64 - 1), 0 };
	return (struct cpuid){ 0 };
}

/* Caches of 48 KiB, 2 and 32 MiB, measured up to a size, and what CPUID claims of them. */
static void machine(double upto, uint64_t l1, uint64_t l2, uint64_t l3, uint64_t l4)
{
	begin_of("latency");
	memcpy(claimed, (uint64_t[]){ l1, l2, l3, l4 }, sizeof claimed);
	m.room.cpuid = claims_of;
	m.b.arena.bytes = 1200 * MIB;
	for (double x = KIB; x <= upto; x *= M_SQRT2)
		add("latency", "pointer-padded", "bytes", round(x / 64) * 64,
			latency(round(x / 64) * 64), PAGE_2M);
}

static void expect_sure(const char *name, double is, double confidence)
{
	expect_found(name, is, 1e-6);
	if (!(fabs(find_value(&m.found, value_by_name(name))->confidence - confidence) < 1e-3))
		fail_value(find_value(&m.found, value_by_name(name)), "another confidence");
}

static void expect_rests(const char *name, const char *more)
{
	const char *rests = value(name)->rests_on;

	if (strncmp(rests, curve, strlen(curve)) || strcmp(rests + strlen(curve), more))
		fail_msg("%s: expected to rest on '%s%s', came '%s'", name, curve, more, rests);
}

/* A long plateau is believed to 95 %, less what its rows scatter. */
#define SURE 0.9471
#define EDGE 0.8862

TEST(all_levels_by_their_order)
{
	static const struct {
		const char *name;
		double is, confidence;
	} values[] = { { "l1d_bytes", 46336, EDGE }, { "l1d_latency_ns", 1.5, SURE },
		{ "l1d_latency_cycles", 4.5, SURE }, { "l2_bytes", 2 * MIB, EDGE },
		{ "l2_latency_ns", 5, SURE }, { "l2_latency_cycles", 15, SURE },
		{ "l3_bytes", 32 * MIB, EDGE }, { "l3_latency_ns", 25, SURE },
		{ "l3_latency_cycles", 75, SURE }, { "memory_latency_ns", 100, SURE },
		{ "memory_latency_cycles", 300, SURE } };
	static const double claims[] = { 48 * KIB, 2 * MIB, 32 * MIB };

	machine(WHOLE, 48 * KIB, 2 * MIB, 32 * MIB, 0);
	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		expect_sure(values[i].name, values[i].is, values[i].confidence);
		expect_rests(values[i].name, "");
		assert_int_equal(PAGE_2M, value(values[i].name)->page_bytes);
		if (i % 3 == 0 && i < 9)
			assert_true(value(values[i].name)->claimed == claims[i / 3]);
		else
			assert_true(isnan(value(values[i].name)->claimed));
	}
	assert_null(find_value(&m.found, VALUE_l4_bytes));
}

/* One of them may be hidden: which of the others it is is not known, but for the first. */
TEST(where_more_are_claimed_names_are_half_as_sure)
{
	static const char more[] = ": by order; CPUID claims more levels";

	machine(WHOLE, 48 * KIB, 2 * MIB, 32 * MIB, 128 * MIB);
	expect_sure("l1d_bytes", 46336, EDGE);
	expect_sure("l1d_latency_ns", 1.5, SURE);
	expect_rests("l1d_bytes", "");
	expect_sure("l2_bytes", 2 * MIB, EDGE / 2);
	expect_sure("l2_latency_ns", 5, SURE / 2);
	expect_sure("l3_latency_cycles", 75, SURE / 2);
	expect_rests("l3_latency_cycles", more);
	expect_open("l4_bytes", "hidden on the curve, or not there");
	expect_open("l4_latency_ns", "hidden on the curve, or not there");
	assert_true(value("l4_bytes")->claimed == 128 * MIB);
	expect_rests("l4_bytes", more);
	expect_sure("memory_latency_ns", 100, SURE);
}

/* The last plateau is memory's only if what was measured is large enough for that. */
TEST(when_the_last_plateau_is_memory)
{
	static const char early[] = "the largest buffers were not measured";
	static const struct {
		double upto;
		uint64_t l2, l3;
		double ns, confidence;
		const char *reason;
	} all[] = { { WHOLE, 2 * MIB, 32 * MIB, 100, SURE, NULL },
		{ 129 * MIB, 2 * MIB, 32 * MIB, 100, 0.8973, NULL }, /* 4 points: 0.3 / 3 */
		{ 129 * MIB, 2 * MIB, 64 * MIB, 100, 0.8973, NULL }, /* twice the claim */
		{ 129 * MIB, 2 * MIB, 64 * MIB + 64, 0, 0, early },  /* less than that */
		{ 129 * MIB, 2 * MIB, 0, 0, 0, early }, /* fewer claimed than there are */
		{ 725 * MIB, 2 * MIB, 512 * MIB, 0, 0, early },
		{ WHOLE, 2 * MIB, 600 * MIB, 100, SURE, NULL }, /* no larger one was planned */
		{ 63 * MIB, 2 * MIB, 32 * MIB, 0, 0, "rises at the largest buffer" },
		{ 40 * KIB, 0, 0, 0, 0, "the curve is flat" }, { 0, 0, 0, 0, 0, NOT_MEASURED } };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		machine(all[i].upto, 48 * KIB, all[i].l2, all[i].l3, 0);
		if (all[i].reason) {
			expect_open("memory_latency_ns", all[i].reason);
			expect_open("memory_latency_cycles", all[i].reason);
		} else {
			expect_sure("memory_latency_ns", all[i].ns, all[i].confidence);
			expect_sure("memory_latency_cycles", 3 * all[i].ns, all[i].confidence);
		}
		m.b.probe->hooks->find_first(&m.b);
		assert_true(m.b.caches.memory_ns == all[i].ns);
	}
}

TEST(what_is_not_on_the_curve)
{
	machine(33 * MIB, 48 * KIB, 2 * MIB, 32 * MIB, 0);
	expect_open("l3_bytes", "the largest buffers were not measured");
	machine(33 * MIB, 48 * KIB, 2 * MIB, 0, 0);
	m.b.arena.bytes = 37 * MIB; /* of which 7/8 are 32 MiB */
	expect_open("l3_bytes", "no such level on the curve");
	expect_sure("memory_latency_ns", 25, SURE);
	machine(0, 48 * KIB, 0, 0, 0);
	expect_open("l1d_bytes", NOT_MEASURED);
	expect_open("l3_latency_cycles", NOT_MEASURED);
}

/* No buffer exceeds what one cache is claimed to hold: memory may be that cache. */
TEST(memory_within_a_claim)
{
	machine(WHOLE, 48 * KIB, 2 * MIB, GIB, 0);
	expect_sure("memory_latency_ns", 100, SURE / 2);
	expect_sure("memory_latency_cycles", 300, SURE / 2);
	expect_rests("memory_latency_ns", ": no size exceeds what CPUID claims of a cache");
	machine(WHOLE, 48 * KIB, 2 * MIB, GIB - 64, 0);
	expect_sure("memory_latency_ns", 100, SURE);
	expect_rests("memory_latency_cycles", "");
}

static void expect_caches(unsigned n, double l1, double l2, double l3, double memory_ns)
{
	const double is[] = { l1, l2, l3, 0 };

	m.b.probe->hooks->find_first(&m.b);
	assert_int_equal(n, m.b.caches.count);
	for (unsigned i = 0; i < 4; i++)
		if ((double)m.b.caches.bytes[i] != is[i] || (double)m.b.caches.surely[i] != is[i])
			fail_msg("cache %u: expected %g bytes, came %llu, surely %llu", i + 1,
				is[i], (unsigned long long)m.b.caches.bytes[i],
				(unsigned long long)m.b.caches.surely[i]);
	assert_true(m.b.caches.memory_ns == memory_ns);
}

/* The rows measured at a level (L1, L2 ...) are no points of the curve. */
TEST(the_levels_of_the_curve)
{
	machine(WHOLE, 0, 0, 0, 0);
	add("latency", "pointer-padded", "bytes", 24 * KIB, 9, PAGE_2M)->level = "l1";
	expect_caches(3, 46336, 2 * MIB, 32 * MIB, 100);
	machine(63 * MIB, 0, 0, 0, 0); /* it rises at the end: a cache as well */
	expect_caches(3, 46336, 2 * MIB, 32 * MIB, 0);
	machine(0, 0, 0, 0, 0);
	expect_caches(0, 0, 0, 0, 0);
}

/* Other core cycles for the rows of up to that size. */
static void cycles_up_to(double bytes, double from, double cycles)
{
	for (unsigned i = 0; i < m.b.nresults; i++) {
		double x = row_get(m.results[i].row, "bytes", 0);

		if (x > from && x <= bytes)
			m.results[i].cycles = cycles;
	}
}

/* A single plateau may be any level: it is not known to be L1, nor to be memory. */
TEST(one_plateau_is_not_memory)
{
	machine(WHOLE, 0, 0, 0, 0);
	for (unsigned i = 0; i < m.b.nresults; i++) {
		m.results[i].median = i ? 5 : 1;
		m.results[i].cycles = i ? 15 : 3;
	}
	assert_non_null(value("memory_latency_ns")->reason);
	assert_non_null(value("memory_latency_cycles")->reason);
	assert_non_null(value("l1d_bytes")->reason);
	expect_caches(0, 0, 0, 0, 0);
}

/* L1 and L2 run with the core: they end where the cycles say; beyond, the time says it. */
TEST(edges_near_the_core_are_those_in_cycles)
{
	machine(WHOLE, 0, 0, 0, 0);
	cycles_up_to(66 * KIB, 0, 4.5);
	cycles_up_to(3 * MIB, 66 * KIB, 15);
	cycles_up_to(48 * MIB, 3 * MIB, 75);
	expect_caches(3, 65536, 2965824, 32 * MIB, 100);
	m.results[2].cycles = 0; /* one of them is not known */
	expect_caches(3, 46336, 2 * MIB, 32 * MIB, 100);
}

/* Two readings with different levels: that with less noise is taken whole. */
TEST(the_reading_with_less_noise)
{
	machine(WHOLE, 0, 0, 0, 0);
	for (unsigned i = 0; i < m.b.nresults; i++) /* L3 cannot be told from memory */
		m.results[i].cycles = m.results[i].median >= 25 ? 300 : m.results[i].cycles;
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].median *= i % 2 ? 1.02 : 0.98;
	m.b.probe->hooks->find_first(&m.b);
	assert_int_equal(2, m.b.caches.count);
	machine(WHOLE, 0, 0, 0, 0);
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].cycles = (m.results[i].median >= 25 ? 300 : m.results[i].cycles) *
			(i % 2 ? 1.02 : 0.98);
	m.b.probe->hooks->find_first(&m.b);
	expect_caches(3, 46336, 2 * MIB, 32 * MIB, 100);
}

/*
 * Edges of the curve in ns, then in cycles, each between its neighbours; each size once. Then sizes
 * to four times the last cache, and one far beyond, where CPUID claims a smaller one.
 */
TEST(both_readings_are_bisected)
{
	enum { SIZES = 6 };
	static const double is[SIZES] = { 57344, 2621440, 41943040, 81920, 128 * MIB, 512 * MIB };
	static struct plan plan;

	machine(WHOLE, 0, 0, 0, 0);
	cycles_up_to(66 * KIB, 0, 4.5);
	m.b.plan = &plan;
	m.b.probe->hooks->plan_edges(&m.b, &m.found.reader);
	assert_int_equal(SIZES, plan.n);
	for (unsigned i = 0; i < SIZES; i++)
		if (row_get(&plan.rows[i], "bytes", 0) != is[i])
			fail_msg("size %u: expected %g, came %g", i, is[i],
				row_get(&plan.rows[i], "bytes", 0));
	m.b.nresults = 0;
	m.b.probe->hooks->plan_edges(&m.b, &m.found.reader);
	assert_int_equal(SIZES, plan.n);
}

/* A time that the core's clock is part of is doubted where most rows had another clock. */
TEST(another_clock_near_the_core)
{
	machine(WHOLE, 0, 0, 0, 0);
	for (unsigned i = 0; i < m.b.nresults; i++)
		if (m.results[i].median == 25 || m.results[i].median == 5)
			m.results[i].core_hz = HZ / 1.2;
	expect_sure("l1d_latency_ns", 1.5, SURE);
	assert_true(value("l2_latency_ns")->confidence < 0.9 * SURE);
	expect_sure("l2_latency_cycles", 15, SURE);
	expect_sure("l3_latency_ns", 25, SURE);
}

/* Rows at memory's size: 4 KiB pages over the smallest of the others. */
TEST(effect_of_the_page_size)
{
	static const struct {
		size_t pages[3];
		double ratio;
		size_t large;
		const char *reason;
	} all[] = { { { PAGE_1G, PAGE_4K, PAGE_2M }, 1.3, PAGE_2M, NULL },
		{ { PAGE_2M, PAGE_1G, PAGE_4K }, 1.3, PAGE_2M, NULL },
		{ { PAGE_4K, PAGE_1G }, 1.625, PAGE_1G, NULL },
		{ { PAGE_4K }, 0, 0, "only one page size was measured" },
		{ { PAGE_1G }, 0, PAGE_1G, "only one page size was measured" },
		{ { 0 }, 0, 0, NOT_MEASURED } };

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		machine(0, 0, 0, 0, 0);
		for (unsigned k = 0; k < 3 && all[i].pages[k]; k++) {
			size_t page = all[i].pages[k];

			add("latency", "pointer-padded", "bytes", 256 * MIB,
				page == PAGE_4K           ? 130
					: page == PAGE_2M ? 100
							  : 80,
				page)
				->level = "memory";
		}
		add("latency", "pointer-padded", "bytes", MIB, 7, PAGE_4K)->level = "l2";
		add("latency", "pointer", "bytes", 256 * MIB, 500, PAGE_4K)->level = "memory";
		if (all[i].reason)
			expect_open("page_size_effect", all[i].reason);
		else
			expect_sure("page_size_effect", all[i].ratio, 0.9 * 0.997);
		assert_int_equal(all[i].large, value("page_size_effect")->page_bytes);
	}
}

/* The row that scatters more decides the confidence, whichever of the two it is. */
TEST(scatter_of_either_row_counts)
{
	for (unsigned i = 0; i < 2; i++) {
		machine(0, 0, 0, 0, 0);
		add("latency", "pointer-padded", "bytes", GIB, 100, PAGE_2M)->level = "memory";
		add("latency", "pointer-padded", "bytes", GIB, 130, PAGE_4K)->level = "memory";
		m.results[i].mad *= 20;
		expect_sure("page_size_effect", 1.3, 0.9 * 0.94);
	}
}

/* Random replacement makes the rise long: L1 ends at the foot of it, before the next size. */
TEST(an_l1_whose_cost_rises_slowly_ends_below_the_next_size)
{
	static const double slow[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1.5, 2, 3.5, 4, 4, 4, 4, 4,
		4, 4 };

	begin_of("latency");
	for (unsigned i = 0; i < sizeof slow / sizeof *slow; i++)
		add("latency", "pointer-padded", "bytes", floor(KIB * exp2(i / 2.)), slow[i],
			PAGE_2M);
	expect_range("l1d_bytes", 32 * KIB, 32 * KIB, floor(KIB * exp2(5.5)));
}
