/* SPDX-License-Identifier: MIT */
/*
 * A cache beside memory keeps what CLFLUSH writes out, so that flushed lines are found there. The
 * curve goes on to memory itself, and no page walk explains that.
 */
#include "probes/latency/main_curve.h"
#include "tests/unit/summary_rows.h"

#define BESIDE 60.0  /* ns of the cache beside memory, of 128 MiB */
#define MEMORY 110.0 /* ns beyond it */

/* ns of a load from so many bytes. */
static double stated(double bytes)
{
	return bytes <= 48 * KIB     ? 1.5
		: bytes <= MIB       ? 5
		: bytes <= 8 * MIB   ? 15
		: bytes <= 128 * MIB ? BESIDE
				     : MEMORY;
}

static void machine(double walk)
{
	begin_of("latency");
	m.b.arena.bytes = 4096 * MIB;
	for (double x = KIB; x < 1.01 * GIB; x *= M_SQRT2) {
		double bytes = round(x / 64) * 64;

		add("latency", "pointer-padded", "bytes", bytes, stated(bytes), PAGE_2M);
	}
	for (double span = 4 * MIB; span <= GIB; span *= 4) {
		add("latency", "flushed", "bytes", span, BESIDE, PAGE_2M);
		add("latency", "flushed-pages", "bytes", span, walk * BESIDE, PAGE_2M);
	}
}

TEST(a_cache_beside_memory_is_a_level)
{
	machine(1.03);
	expect_found("l4_bytes", 128 * MIB, 1e-6);
	expect_found("l4_latency_ns", BESIDE, 1e-6);
	expect_found("memory_latency_ns", MEMORY, 1e-6);
	expect_found("memory_walk_latency_ns", MEMORY, 1e-6);
	expect_range("l1d_bytes", 46336, 46336, 64 * KIB); /* of the grid, in steps of sqrt(2) */
	expect_range("l2_bytes", MIB, MIB, 1482880);
	expect_range("l3_bytes", 8 * MIB, 8 * MIB, 11863296);
	expect_range("l4_bytes", 128 * MIB, 128 * MIB, 189812544);
}

/* The same curve, where many pages are dear: the rise is that of translation. */
TEST(the_same_rise_with_page_walks_is_none)
{
	machine(1.5);
	assert_null(find_value(&m.found, VALUE_l4_bytes));
	expect_found("l3_bytes", 8 * MIB, 1e-6);
	expect_found("memory_latency_ns", BESIDE, 1e-6);
	expect_found("memory_walk_latency_ns", MEMORY, 1e-6);
}

/* Buffers that no more than fit the last cache do not show memory: flushed lines do. */
TEST(memory_is_seen_beyond_the_largest_buffer)
{
	machine(1);
	for (unsigned i = 0; i < m.b.nresults; i++) {
		struct result *r = &m.results[i];

		if (!strcmp(r->row->variant, "pointer-padded"))
			r->median = fmin(r->median, 15), r->cycles = fmin(r->cycles, 45);
	}
	expect_found("memory_latency_ns", BESIDE, 1e-6);
	expect_open("memory_walk_latency_ns", "no buffer exceeds the caches");
	expect_found("l3_latency_ns", 15, 1e-6);
	m.b.probe->hooks->find_first(&m.b);
	assert_int_equal(3, m.b.caches.count);
}

/* CPUID claims a cache of so many MiB beside L1d. */
static uint32_t claimed_mib;

static struct cpuid claims_large(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 4 && subleaf == 1)
		return (struct cpuid){ 3 | 4 << 5, 15u << 22 | 63, claimed_mib * 1024 - 1, 0 };
	return claims(room, leaf, subleaf);
}

/* Where the last cache may end beyond what is claimed, sizes beyond it are planned. */
TEST(a_cache_that_may_be_larger_than_claimed)
{
	uint64_t sizes[SIZES_MOST];

	for (claimed_mib = 100; claimed_mib <= 200; claimed_mib += 50) { /* it ends at 128 to 181 */
		machine(1);
		m.room.cpuid = claims_large;
		unsigned n = main_curve_beyond(&m.b, &m.found.reader, sizes);

		assert_int_equal(claimed_mib == 100 ? 2 : claimed_mib == 150, n);
		if (n)
			assert_int_equal(GIB, sizes[n - 1]);
	}
}
