/* SPDX-License-Identifier: MIT */
/* Where the latency curve may call its last plateau memory, and where not. */
#include "tests/unit/summary_lines.h"
#include "tests/unit/test.h"

static double confidence(const char *name)
{
	json_t *line = summary(name);
	double sure = json_number_value(json_object_get(line, "confidence"));

	json_decref(line);
	return sure;
}

/* A short curve ends on a cache's plateau, which would pass for memory. */
TEST(test_a_curve_that_was_cut_short_shows_no_memory)
{
	begin();
	m.b.arena.bytes = 4 * GIB;
	for (double x = KIB; x <= 16 * MIB; x *= M_SQRT2)
		add("latency", "pointer-padded", "bytes", floor(x / 64) * 64,
			latency(floor(x / 64) * 64), PAGE_2M);
	m.b.probe = probe("latency");
	probe("latency")->hooks->find_first(&m.b);
	if (m.b.caches.memory_ns != 0)
		fail_msg("expected no memory on the curve, got %g ns, %u caches",
			m.b.caches.memory_ns, m.b.caches.count);
	summarise();
	expect("l2_bytes", 2 * MIB, 0.01);
	expect_open("memory_latency_ns", "the largest buffers were not measured");
	expect_open("memory_latency_cycles", "the largest buffers were not measured");
}

/* A cache of 2 KiB, then a plateau up to `most` bytes; CPUID claims one cache of 48 KiB. */
static void one_cache(double most)
{
	begin();
	m.b.arena.bytes = 4 * GIB;
	for (double x = KIB; x <= 1.01 * most; x *= M_SQRT2)
		add("latency", "pointer-padded", "bytes", round(x / 64) * 64, x < 4 * KIB ? 1 : 4,
			PAGE_2M);
	summarise();
}

/* As many caches as are claimed: then it is the claimed bytes that the buffers must exceed. */
TEST(test_a_curve_cut_short_is_memory_from_twice_the_claimed_caches_on)
{
	one_cache(64 * KIB);
	expect_open("memory_latency_ns", "the largest buffers were not measured");
	one_cache(128 * KIB);
	expect("memory_latency_ns", 4, 0);
}

/* The bracket of l1d_bytes on a curve of these costs, from 1 KiB on, two an octave. */
static void expect_l1(const double *ns, unsigned n, double low, double high)
{
	begin();
	for (unsigned i = 0; i < n; i++)
		add("latency", "pointer-padded", "bytes", floor(KIB * exp2(i / 2.)), ns[i],
			PAGE_2M);
	summarise();
	json_t *line = summary("l1d_bytes");
	double from = json_number_value(json_object_get(line, "low"));
	double to = json_number_value(json_object_get(line, "high"));

	json_decref(line);
	if (from != low || to != high)
		fail_msg("l1d_bytes: expected %g..%g, came %g..%g", low, high, from, to);
}

/* Random replacement makes the rise long: L1 ends at its foot, before the next size. */
TEST(test_an_l1_whose_cost_rises_slowly_ends_below_the_next_size)
{
	static const double slow[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1.5, 2, 3.5, 4, 4, 4, 4, 4,
		4, 4 };

	expect_l1(slow, sizeof slow / sizeof *slow, 32 * KIB, floor(KIB * exp2(5.5)));
}

/* CPUID may lie: the curve is believed, by half. */
TEST(test_no_buffer_beyond_the_claimed_caches_halves_the_confidence)
{
	begin();
	m.opt.largest = 32 * KIB; /* CPUID claims 48 KiB of L1 */
	m.b.arena.bytes = 4 * GIB;
	for (double x = KIB; x <= 32.5 * KIB; x *= M_SQRT2)
		add("latency", "pointer-padded", "bytes", round(x / 64) * 64, x < 4 * KIB ? 1 : 4,
			PAGE_2M);
	summarise();
	double half = confidence("memory_latency_ns");

	expect("memory_latency_ns", 4, 0);
	begin();
	m.opt.largest = 64 * KIB;
	m.b.arena.bytes = 4 * GIB;
	for (double x = KIB; x <= 64.5 * KIB; x *= M_SQRT2)
		add("latency", "pointer-padded", "bytes", round(x / 64) * 64, x < 4 * KIB ? 1 : 4,
			PAGE_2M);
	summarise();
	assert_true(half > 0 && half <= 0.5);
	assert_true(confidence("memory_latency_ns") > 0.6);
}
