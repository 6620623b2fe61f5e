/* SPDX-License-Identifier: MIT */
/* Rows of a machine that does not exist -> summary lines and the card. */
#include "tests/unit/summary_lines.h"

#include "engine/levels.h"

TEST(test_every_value_comes_back)
{
	static const struct {
		const char *name;
		double value, tolerance;
	} all[] = { { "l1d_bytes", 46341, 0.01 }, { "l2_bytes", 2 * MIB, 0.01 },
		{ "l3_bytes", 32 * MIB, 0.01 }, { "l1d_latency_ns", 1.5, 0 },
		{ "l2_latency_cycles", 15, 0 }, { "l3_latency_ns", 25, 0 },
		{ "memory_latency_ns", 100, 0 }, { "line_bytes", 64, 0 }, { "fetch_bytes", 128, 0 },
		{ "l1d_ways", 12, 0 }, { "dtlb_4k_entries", 90, 0.01 },
		{ "stlb_entries", 2048, 0.01 }, { "stlb_hit_cycles", 7, 0.001 },
		{ "walk_cycles", 60, 0.001 }, { "dtlb_2m_entries", 90, 0.01 },
		{ "stlb_2m_entries", 2048, 0.01 }, { "stlb_2m_hit_cycles", 7, 0.001 },
		{ "walk_2m_cycles", 60, 0.001 }, { "parallel_misses", 15, 0.001 },
		{ "parallel_misses_walk", 14, 0.001 }, { "memory_walk_latency_ns", 100, 0 },
		{ "parallel_misses_4k", 10, 0.001 }, { "page_size_effect", 1.3, 0.001 },
		{ "read_bytes_per_cycle_l1", 100, 0.001 },
		{ "write_bytes_per_cycle_l2", 12.5, 0.001 },
		{ "copy_bytes_per_cycle_memory", 4 / 9., 0.001 }, { "window_instructions", 499, 0 },
		{ "mispredict_cycles", 17, 0 }, { "predictor_branches", 5792, 0.01 },
		{ "branch_targets", 11587, 0 }, { "return_stack", 24, 0.05 },
		{ "core_clock_hz", HZ, 0 }, { "core_tsc_ratio", 3, 0 },
		{ "noise_gaps_per_second", 1400, 0 }, { "noise_stolen_ppm", 3000, 0 },
		{ "noise_longest_ns", 54e6, 0 } };

	begin();
	add_all();
	summarise();
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		expect_summary(all[i].name, all[i].value, all[i].tolerance);
}

/* Rows at a size that stands in for a level: of which level they are nobody knows. */
TEST(test_bandwidth_of_an_assumed_level_is_not_told)
{
	begin();
	add_all();
	m.b.levels[LEVEL_L2].origin = m.b.levels[LEVEL_MEMORY].origin = LEVEL_ASSUMED;
	summarise();
	expect_no_summary("write_bytes_per_cycle_l2", "neither the curve nor CPUID tells its size");
	expect_no_summary("write_roof_l2", "neither the curve nor CPUID tells its size");
	expect_summary("read_bytes_per_cycle_l1", 100, 0.001);
	expect_summary("copy_bytes_per_cycle_memory", 4 / 9., 0.001);
}

/* Rows were measured where the curve seemed to have a fourth cache; in the end it has none. */
TEST(test_bandwidth_of_a_cache_that_is_none_is_not_told)
{
	for (unsigned there = 0; there < 2; there++) {
		begin();
		add_all();
		m.b.levels[LEVEL_L4] = m.b.levels[LEVEL_L3];
		m.found = (struct found_values){ .reader = { .bench = &m.b } };
		found(&m.found, VALUE_l4_bytes,
			there ? plain_estimate(64 * MIB, 0.9) : not_resolved("too unsure"), "");
		run_find(&m.b, &m.found, "bandwidth");
		assert_int_equal(there, find_value(&m.found, VALUE_read_roof_l4) != NULL);
	}
}

/*
 * The bytes fetched at once are a power of two: a knee at 90 may mean 64 or 128, so the confidence
 * halves.
 */
TEST(test_a_knee_between_two_sizes_is_that_of_either)
{
	begin();
	add_lines(64, 90.6);
	summarise();
	expect_summary("fetch_bytes", 64, 0);
	assert_true(summary_number("fetch_bytes", "low") == 64);
	assert_true(summary_number("fetch_bytes", "high") > 128);
	assert_true(summary_number("fetch_bytes", "confidence") < 0.5);
}

/*
 * 128 bytes fetched at once are a line of 128 or a pair of 64: the flush tells which, without
 * CPUID.
 */
TEST(test_a_flush_tells_lines_from_pairs)
{
	static const double lines[] = { 32, 64, 128, 256 };

	for (int i = 0; i < 4; i++) {
		begin();
		add_lines(lines[i], fmax(lines[i], 128));
		summarise();
		expect_summary("line_bytes", lines[i], 0);
		expect_summary("fetch_bytes", fmax(lines[i], 128), 0);
	}
	begin(); /* a flush that flushes nothing */
	add_lines(0, 64);
	summarise();
	expect_no_summary("line_bytes", "the cost does not fall");
	begin(); /* one that takes all */
	add_lines(1024, 64);
	summarise();
	expect_no_summary("line_bytes", "the cost does not fall");
}

/* L1d of 48 KiB in lines of 64 bytes, L2 of 2 MiB in lines of 128. */
static struct cpuid two_lines(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	if (leaf == 4 && subleaf == 1)
		return (struct cpuid){ 3 | 2 << 5, 15u << 22 | 127, 1023, 0 };
	return claims(room, leaf, subleaf);
}

TEST(test_the_claimed_line_is_that_of_l1)
{
	begin();
	m.room.cpuid = two_lines;
	add_lines(64, 128);
	summarise();
	double claimed = summary_number("line_bytes", "claimed");

	if (claimed != 64)
		fail_msg("expected 64 claimed bytes, came %g", claimed);
}

/* 24 lines of 79 columns, nothing broken off; the blank line before it may scroll away. */
static void check_card(void)
{
	unsigned lines = 0;

	assert_int_equal(m.said[0], '\n');
	for (char *p = m.said + 1; *p; lines++) {
		size_t n = strcspn(p, "\n");
		if (n > 79)
			fail_msg("%zu columns: %.*s", n, (int)n, p);
		p += n + (p[n] == '\n');
	}
	if (lines > 24)
		fail_msg("%u lines:\n%s", lines, m.said);
}

static const char *const labels[] = { "A noisy room: ", "L1 ", "L2 ", "L3 ", "memory ", "parallel ",
	"core " };

static void has_labels(void)
{
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		char line[40];
		snprintf(line, sizeof line, "\n%s", labels[i]);
		if (!strstr(m.said, line))
			fail_msg("the card lacks '%s':\n%s", labels[i], m.said);
	}
}

TEST(test_the_card_fits_one_screen)
{
	begin();
	m.room.facts.hypervisor = "KVMKVMKVM";
	add_all();
	summarise();
	check_card();
	has_labels();
	if (!strstr(m.said, " 48K\n") || !strstr(m.said, "VIRTUAL"))
		fail_msg("expected the claim of 48K, which agrees, and VIRTUAL:\n%s", m.said);
	assert_null(strstr(m.said, "\n?"));
}

/* Flat everywhere: every line says why it is not resolved, and still fits. */
TEST(test_the_card_of_nothing_fits_too)
{
	begin();
	m.room.facts.emulated = true;
	add_all();
	for (unsigned i = 0; i < m.b.nresults; i++)
		m.results[i].median = m.results[i].cycles =
			strcmp(m.rows[i].variant, "penalty") ? 1 : 0;
	summarise();
	check_card();
	has_labels();
	assert_non_null(strstr(m.said, "EMULATED"));
	expect_no_summary("mispredict_cycles", "random branches cost no more than constant ones");
}

TEST(test_nothing_measured_is_no_card)
{
	begin();
	summarise();
	assert_string_equal(m.said, "");
	expect_no_summary("l1d_bytes", "not measured in this run");
}

/* An emulator's curve: its second level ends nowhere. The planner must not take it for a size. */
TEST(a_level_without_an_edge_is_no_size)
{
	static const double ns[] = { 4.4, 3.9, 3.9, 3.9, 3.9, 4.1, 7, 7, 7.1, 7.6, 8.4, 27, 97, 71,
		77, 56, 144, 436 };

	begin();
	m.b.arena.bytes = 1760 * MIB;
	for (unsigned i = 0; i < sizeof ns / sizeof *ns; i++)
		add("latency", "pointer-padded", "bytes", 1024 << i, ns[i], PAGE_2M);
	m.b.probe = probe("latency");
	m.b.probe->hooks->find_first(&m.b);
	levels_set(&m.b);
	for (unsigned i = 0; i + 1 < LEVELS; i++)
		if (m.b.levels[i].bytes > 64 * MIB)
			fail_msg("%s is measured at %lu bytes (%s): see probes/latency/latency.c",
				m.b.levels[i].name, m.b.levels[i].bytes, m.b.levels[i].origin);
	assert_string_equal("measured", m.b.levels[LEVEL_L1].origin);
	assert_string_equal("assumed", m.b.levels[LEVEL_L2].origin);
}

/* Half of the samples wait for others: the median says 120 ns, the quietest tenth 100. */
TEST(a_floor_that_differs_is_said)
{
	begin();
	add_latency();
	for (unsigned i = 0; i < m.b.nresults; i++) {
		struct result *r = &m.results[i];
		bool far = r->median >= 100;

		r->floor = r->median;
		r->floor_cycles = r->cycles;
		r->median *= far ? 1.2 : 1.02;
		r->cycles *= far ? 1.2 : 1.02;
		r->samples = 10;
		r->disturbed = far ? 5 : 0;
	}
	summarise();
	assert_true(fabs(summary_number("memory_latency_ns", "value") - 120) < 1e-9);
	assert_true(fabs(summary_number("memory_latency_ns", "floor") - 100) < 1e-9);
	assert_true(summary_number("memory_latency_ns", "disturbed_share") > 0.01);
	assert_true(isnan(summary_number("memory_latency_ns", "floor_high")));
	assert_true(isnan(summary_number("l1d_latency_ns", "floor")));
	assert_true(isnan(summary_number("l2_bytes", "floor")));
	if (!strstr(m.said, "memory to 256M      100.00 ") || !strstr(m.said, "*\n"))
		fail_msg("expected memory in quiet moments, and a mark:\n%s", m.said);
	check_card();
}

/* Rows at 2.18 to 3.01 GHz have no one core clock: the line says the range, and is less sure. */
TEST(a_clock_that_moves_has_a_range)
{
	begin();
	for (unsigned i = 0; i < 20; i++)
		add("latency", "pointer-padded", "bytes", 1024 << i, 10, PAGE_2M);
	for (unsigned i = 0; i < 20; i++)
		m.results[i].core_hz = 2.18e9 + i * (3.01e9 - 2.18e9) / 19;
	add("clock", "core-clock", "x", 1, 2.6, 0)->nparams = 0;
	m.results[20].core_hz = 2.6e9;
	m.results[20].floor = 2.65;
	summarise();
	assert_true(summary_number("core_clock_hz", "low") == 2.18e9);
	assert_true(summary_number("core_clock_hz", "high") == 3.01e9);
	assert_true(summary_number("core_clock_hz", "confidence") < 0.6);
	expect_summary("core_clock_hz", 2.6e9, 1e-9);
	assert_non_null(strstr(m.said, "core       2.18..3.01 GHz ["));
}

/* Its own row was faster in quiet moments than any other. */
TEST(the_range_of_the_clock_has_its_own_row)
{
	begin();
	add("clock", "core-clock", "x", 1, 2.6, 0)->nparams = 0;
	m.results[0].floor = 3.2;
	summarise();
	assert_true(summary_number("core_clock_hz", "high") == 3.2e9);
}

/* Rows that were measured and gave no number are not rows that nobody asked for. */
TEST(absurd_rows_are_another_reason)
{
	begin();
	add_latency();
	m.b.no_number = 1ULL << (probe("bandwidth") - probes);
	for (unsigned i = 0; i < LEVELS; i++)
		m.b.levels[i].bytes = 1;
	summarise();
	expect_no_summary("read_bytes_per_cycle_l1", "measured, but gave no number");
	expect_no_summary("mispredict_cycles", "not measured in this run");
	begin();
	m.b.levels[LEVEL_L1].bytes = 1;
	add("bandwidth", "read", "bytes", 1, 100, PAGE_2M)->level = "l1";
	m.results[0].core_hz = 0;
	summarise();
	expect_no_summary("read_bytes_per_cycle_l1", "the core clock is not known");
}

/* Four caches: the fourth has names of its own, on the card as well. */
TEST(test_a_fourth_cache_is_named)
{
	begin();
	for (double x = KIB; x <= 1.01 * GIB; x *= M_SQRT2)
		add("latency", "pointer-padded", "bytes", round(x / 64) * 64,
			x <= 48 * KIB            ? 1.5
				: x <= 256 * KIB ? 3
				: x <= 4 * MIB   ? 7
				: x <= 40 * MIB  ? 25
						 : 100,
			PAGE_2M);
	add_flushed(100);
	m.b.probe = probe("latency");
	m.b.probe->hooks->find_first(&m.b);
	m.b.arena.bytes = 4 * GIB;
	levels_set(&m.b);
	assert_string_equal("measured", m.b.levels[LEVEL_L4].origin);
	assert_true(m.b.levels[LEVEL_MEMORY].bytes >= 256 * MIB);
	summarise();
	expect_summary("l3_latency_ns", 7, 0);
	expect_summary("l4_latency_ns", 25, 0);
	expect_summary("memory_latency_ns", 100, 0);
	assert_non_null(strstr(m.said, "\nL4 "));
}
