/* SPDX-License-Identifier: MIT */
/* All main values, line by line: `anechoic show --all`. */
#include "tests/unit/card_fixture.h"

static void print_card(void)
{
	*said = 0;
	card_print_all(&card, hear, &card);
}

/* `expected`: what follows the head, line by line, which the message compares one by one. */
static void expect_card(const char *expected)
{
	char whole[4096];

	snprintf(whole, sizeof whole,
		"\nall main values    measured                            CPUID              sure\n"
		"%s",
		expected);
	print_card();
	expect_lines(whole);
}

static void modules(const char *text, double limit_gbs)
{
	snprintf(card.memory, sizeof card.memory, "%s", text);
	card.memory_limit_gbs = limit_gbs;
}

static void add_rates(const char *operation, double l1, double l2, double l3, double memory)
{
	static const char *const places[] = { "l1", "l2", "l3", "memory" };
	const double rates[] = { l1, l2, l3, memory };
	char name[40];

	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof name, "%s_bytes_per_cycle_%s", operation, places[i]);
		lone(name, rates[i], "bytes/cycle");
	}
}

static void add_caches(void)
{
	claim(between("l1d_bytes", 40000, 49152, 65536, "bytes"), 49152);
	lone("l1d_latency_cycles", 5.04, "cycles");
	lone("l1d_latency_ns", 1.68, "ns");
	claim(lone("l2_bytes", 2 << 20, "bytes"), 1 << 20);
	lone("l2_latency_cycles", 15.96, "cycles");
	lone("l2_latency_ns", 5.32, "ns");
	soft(between("l3_bytes", 24 << 20, 33 << 20, 41 << 20, "bytes"), 28 << 20, 33 << 20,
		41 << 20);
	lone("l3_latency_cycles", 70.5, "cycles");
	lone("l3_latency_ns", 23.5, "ns");
	lone("memory_latency_cycles", 360.3, "cycles");
	lone("memory_latency_ns", 120.1, "ns");
	claim(lone("line_bytes", 64, "bytes"), 64);
	claim(lone("l1d_ways", 12, "ways"), 12);
}

static void add_core(void)
{
	between("window_instructions", 512, 512, 528, "instructions");
	between("integers_in_flight", 203, 203, NAN, "registers"); /* or more */
	between("vectors_in_flight", 276, 277, 280, "registers");
	lone("stores_in_flight", 111, "stores");
	lone("mispredict_cycles", 17.25, "cycles");
	between("predictor_branches", 4096, 4096, 8192, "branches");
	lone("predictor_perfect", 2048, "branches");
	lone("learning_passes", 12, "passes");
	between("branch_targets", 12288, 12288, 12289, "jumps");
	lone("return_stack", 24, "calls");
	lone("store_forward_cycles", 5.27, "cycles");
	lone("store_forward_same_cycles", 0.53, "cycles");
	lone("store_forward_fail_cycles", 12.7, "cycles");
	lone("alias_4k_cycles", 6.98, "cycles");
	lone("issue_width", 6.03, "ops/cycle");
	lone("adds_per_cycle", 5, "ops/cycle");
	lone("multiplies_per_cycle", 1.5, "ops/cycle");
	lone("loads_per_cycle", 2.99, "ops/cycle");
	lone("stores_per_cycle", 2, "ops/cycle");
	lone("cr3_cycles", 187.4, "cycles");
	lone("invlpg_cycles", 143, "cycles");
	lone("cpuid_cycles", 70123, "cycles");
	lone("core_clock_hz", 3.2e9, "Hz");
	lone("core_tsc_ratio", 1.6, "");
	between("tsc_skew_ns", 0, 2.174, 73.97, "ns");
	lone("noise_stolen_ppm", 1234, "ppm");
	lone("noise_gaps_per_second", 99.6, "1/s");
	lone("noise_longest_ns", 54321, "ns");
}

/* Memory's two latencies, each with its sizes. */
TEST(memory_with_page_walks)
{
	begin();
	lone("memory_latency_cycles", 450, "cycles");
	strcpy(lone("memory_latency_ns", 125, "ns")->form, "to 16M");
	lone("memory_walk_latency_cycles", 1188, "cycles");
	strcpy(lone("memory_walk_latency_ns", 330, "ns")->form, "at 1G");
	lone("parallel_misses", 40, "misses");
	lone("parallel_misses_walk", 17.2, "misses");
	expect_card(
		"memory             to 16M        450.0 cy  125.00 ns                      90 %\n"
		"with page walks    at 1G        1188.0 cy  330.00 ns                      90 %\n"
		"misses at once     40.0, 17.2 in large buffers                            90 %\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n");
}

TEST(every_line_of_a_card)
{
	begin();
	add_caches();
	claim(between("dtlb_4k_entries", 96, 96, 97, "entries"), 96);
	between("stlb_entries", 2048, 2048, 2049, "entries");
	lone("stlb_hit_cycles", 7.04, "cycles");
	lone("walk_cycles", 33.3, "cycles");
	between("dtlb_2m_entries", 32, 32, 33, "entries");
	between("stlb_2m_entries", 1470, 1580, 1793, "entries");
	lone("stlb_2m_hit_cycles", 8, "cycles");
	lone("walk_2m_cycles", 21.5, "cycles");
	lone("parallel_misses", 16.3, "misses");
	lone("parallel_misses_4k", 12, "misses");
	lone("page_size_effect", 1.27, "");
	add_rates("read", 128, 64.04, 20, 0.1);
	add_rates("write", 64, 32, 10, 0.094);
	add_rates("copy", NAN, 16, 8, 1);
	add_core();
	expect_card(
		"noise              1234 ppm stolen, 99.6 gaps/s, to 54.3 us               90 %\n"
		"L1 data cache      39.1K..64K      5.0 cy    1.68 ns   48K      agrees    90 %\n"
		"L2 cache           2M             16.0 cy    5.32 ns   1M       DISAGREES 90 %\n"
		"L3 cache           24M..41M soft  70.5 cy   23.50 ns                      90 %\n"
		"memory                           360.3 cy  120.10 ns                      90 %\n"
		"cache line         64 bytes                            64       agrees    90 %\n"
		"L1 ways            12 ways                             12       agrees    90 %\n"
		"TLB, 4 KiB pages   96 + 2048, miss +7.0, walk +33.3 cy 96       agrees    90 %\n"
		"TLB, 2 MiB pages   32 + 1470..1792, miss +8.0, walk +21.5 cy              90 %\n"
		"misses at once     16.3 (12.0 with 4 KiB pages)                           90 %\n"
		"4 KiB pages cost   1.27 times the latency of memory                       90 %\n"
		"read  B/cycle      128.0 / 64.0 / 20.0 / 0.1                              90 %\n"
		"write B/cycle      64.0 / 32.0 / 10.0 / 0.094                             90 %\n"
		"copy  B/cycle      - / 16.0 / 8.0 / 1.0                                   90 %\n"
		"window             512..527 instructions                                  90 %\n"
		"registers          >=203 integer, 277 vector renamed                      90 %\n"
		"in flight          111 stores at once                                     90 %\n"
		"misprediction      17.25 cycles                                           90 %\n"
		"random branches    4096..8191 (2048 perfectly), 12 passes                 90 %\n"
		"branch targets     12288 jumps                                            90 %\n"
		"return stack       24 calls                                               90 %\n"
		"store to load      5.3, same register 0.5, failed 12.7, alias +7.0 cy     90 %\n"
		"issued a cycle     6.0, add 5.0, mul 1.5, load 3.0, store 2.0 ops         90 %\n"
		"privileged         CR3 187, INVLPG 143, CPUID 70123 cycles                90 %\n"
		"core clock         3.200 GHz, 1.600 times the TSC                         90 %\n"
		"TSCs differ by     0..74 ns                                               90 %\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 1.\n");
}

/* In ring 3 CPUID alone. */
TEST(of_privileged_instructions_and_clocks_what_is_known)
{
	begin();
	lone("cr3_cycles", NAN, "cycles");
	lone("cpuid_cycles", 137, "cycles");
	between("tsc_skew_ns", 114481.6, 115792.4, 117103.3, "ns");
	lone("tsc_drift_ppm", 2.73, "ppm");
	lone("tsc_adjust_ticks", 1242597, "ticks");
	expect_card(
		"privileged         CPUID 137 cycles                                       90 %\n"
		"TSCs differ by     114482..117103 ns, 2.73 ppm, TSC_ADJUST 1242597        90 %\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n");
}

/* The claim is that for the first level; the line is as sure as the least sure value in it. */
TEST(a_tlb_line_is_as_sure_as_both_levels)
{
	begin();
	claim(between("dtlb_4k_entries", 64, 64, 65, "entries"), 64);
	claim(between("stlb_entries", 2048, 2048, 2049, "entries"), 1536);
	card.values[1].confidence = 0.61;
	print_card();
	expect("TLB, 4 KiB pages   64 + 2048                           64       agrees    61 %");
}

/* A walk's cost keeps its place and its unit where that of a hit is not known. */
TEST(a_walk_may_be_known_without_a_hit)
{
	begin();
	between("dtlb_4k_entries", 64, 64, 65, "entries");
	lone("walk_cycles", 33.5, "cycles");
	print_card();
	expect("TLB, 4 KiB pages   64, walk +33.5 cy ");
}

/*
 * The card omits a load of more than was stored if it takes no longer, and kinds of instructions
 * that were not measured or scatter.
 */
TEST(of_stores_loads_and_what_issues_what_is_known)
{
	begin();
	lone("store_forward_cycles", 7.8, "cycles");
	lone("store_forward_same_cycles", 1, "cycles");
	lone("store_forward_fail_cycles", NAN, "cycles");
	lone("alias_4k_cycles", NAN, "cycles");
	lone("issue_width", NAN, "ops/cycle");
	lone("adds_per_cycle", NAN, "ops/cycle");
	lone("loads_per_cycle", 2, "ops/cycle");
	lone("stores_per_cycle", 1, "ops/cycle");
	expect_card(
		"store to load      7.8, same register 1.0 cy                              90 %\n"
		"issued a cycle     load 2.0, store 1.0 ops                                90 %\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n");
}

/*
 * A text that is longer than its column and has another value at quiet moments shows no claim of
 * CPUID.
 */
TEST(the_value_of_quiet_moments_is_no_claim)
{
	begin();
	between("dtlb_2m_entries", 32, 32, 33, "entries")->floor = 30;
	between("stlb_2m_entries", 1470, 1470, 1793, "entries");
	lone("stlb_2m_hit_cycles", 8, "cycles");
	lone("walk_2m_cycles", 21.5, "cycles");
	expect_card(
		"TLB, 2 MiB pages   32 + 1470..1792, miss +8.0, walk +21.5 cy quiet 30     90 %*\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n"
		"* disturbed: 1. Beside them stands what quiet, or busy, moments say.\n");
}

/* Levels that are missing, not resolved or otherwise at quiet moments; numbers that need space. */
TEST(every_other_line_of_a_card)
{
	begin();
	card.mark = "VIRTUAL";
	strcpy(card.cpu, "A processor with a name of forty-five letters");
	claim(unresolved("l1d_bytes", "the largest buffers were not measured"), 32 << 10);
	unresolved("l2_bytes", NOT_MEASURED);
	unresolved("l3_bytes", "no such level on the curve")->floor = 1 << 20;
	between("l4_bytes", 96 << 20, 128 << 20, 130 << 20, "bytes")->floor = 64 << 20;
	lone("l4_latency_ns", 50, "ns");
	claim(between("line_bytes", 64, 64, 128, "bytes"), 128);
	claim(between("l1d_ways", 1e9, 1e9, 2e9 + 1, "long words"), 123456789);
	lone("dtlb_4k_entries", 64, "entries");
	lone("stlb_hit_cycles", 7, "cycles");
	between("dtlb_2m_entries", 32, 32, 34, "entries");
	lone("stlb_2m_hit_cycles", 8, "cycles");
	lone("parallel_misses", 1234.5, "misses");
	lone("parallel_misses_4k", 1000, "misses");
	add_rates("read", 1000, 1000, 100, 0.05);
	lone("read_bytes_per_cycle_l4", 10, "bytes/cycle");
	lone("copy_bytes_per_cycle_l1", 32, "bytes/cycle");
	lone("copy_bytes_per_cycle_memory", 2, "bytes/cycle");
	lone("predictor_branches", 3000, "branches");
	between("core_clock_hz", 11.9e9, 12.2e9, 12.4e9, "Hz");
	lone("core_tsc_ratio", 1.6, "");
	expect_card(
		"L1 data cache      ? the largest buffers were not measured (CPUID 32K)\n"
		"L3 cache           ? no such level on the curve        quiet 1M          *\n"
		"L4 cache           96M..130M       50.00 ns            quiet 64M          90 %*\n"
		"cache line         64 bytes                            128      DISAGREES 90 %\n"
		"L1 ways            1000000000..2000000000 long words   123456789 DISAGREES 90 %\n"
		"TLB, 4 KiB pages   64, miss +7.0 cy                                       90 %\n"
		"TLB, 2 MiB pages   32..33, miss +8.0 cy                                   90 %\n"
		"misses at once     1234.5 (1000.0 with 4 KiB pages)                       90 %\n"
		"read  B/cycle      1000.0 / 1000.0 / 100.0 / 10.0 / 0.05                  90 %\n"
		"copy  B/cycle      32.0 / - / - / 2.0                                     90 %\n"
		"random branches    3000                                                   90 %\n"
		"core clock         12.200 GHz, 11.90 GHz to 12.40 GHz                     90 %\n"
		"? not resolved, why: 2. Unlike CPUID's claim: 2.\n"
		"* disturbed: 2. Beside them stands what quiet, or busy, moments say.\n");
}

/*
 * Make a value that was disturbed in more than a tenth of its samples, and by more than its doubt.
 */
static void quiet(struct card_value *v, double floor, double share, double confidence)
{
	v->floor = floor;
	v->disturbed_share = share;
	v->confidence = confidence;
}

TEST(quiet_moments_are_shown_where_the_others_were_disturbed)
{
	begin();
	quiet(lone("memory_latency_cycles", 900, "cycles"), 300, 0.5, 0.8);
	quiet(lone("memory_latency_ns", 300, "ns"), 100, 0.5, 0.8);
	quiet(lone("parallel_misses", 20, "misses"), 24, 0.1, 0.9); /* too few disturbed */
	quiet(lone("page_size_effect", 1.5, "ratio"), 1.35, 0.9, 0.5);
	quiet(lone("mispredict_cycles", 20, "cycles"), 17, 0.11, 0.7);
	quiet(between("window_instructions", 96, 96, 120, "instructions"), 90, 0.9, 0.9);
	expect_card(
		"memory                           300.0 cy  100.00 ns   busy 300 ns        80 %*\n"
		"misses at once     20.0                                quiet 24           90 %*\n"
		"4 KiB pages cost   1.50 times the latency of memory    quiet 1.35         50 %*\n"
		"window             96..119 instructions                quiet 90           90 %*\n"
		"misprediction      17 cycles                           busy 20            70 %*\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n"
		"* disturbed: 5. Beside them stands what quiet, or busy, moments say.\n");
}

/* Expect these lines about the modules below the card's head and one value. */
static void expect_modules(const char *lines)
{
	char expected[512];

	snprintf(expected, sizeof expected,
		"memory                            120.10 ns                               90 %%\n"
		"%s? not resolved, why: 0. Unlike CPUID's claim: 0.\n",
		lines);
	expect_card(expected);
}

TEST(modules_and_what_they_can_transfer)
{
	begin();
	lone("memory_latency_ns", 120.1, "ns");
	expect_modules("");
	modules("2 x 16 GiB DDR5-6000", 96);
	expect_modules("memory modules     2 x 16 GiB DDR5-6000, at most 96 GB/s\n");
	struct card_value *read = lone("memory_read_gbs", 88.12, "GB/s");
	expect_modules(
		"memory modules     2 x 16 GiB DDR5-6000, at most 96 GB/s, read 88.1 (92 %)\n");
	read->value = 97;
	expect_modules("memory modules     2 x 16 GiB DDR5-6000, at most 96 GB/s, but read 97.0\n");
	modules("1 x 16 GiB at 3200 MT/s", NAN);
	expect_modules("memory modules     1 x 16 GiB at 3200 MT/s (no limit known)\n");
	modules("8 x 32 GiB DDR4-2933 + 8 x 16 GiB DDR4-2933", 375.4);
	read->value = 300;
	expect_modules("memory modules     8 x 32 GiB DDR4-2933 + 8 x 16 GiB DDR4-2933\n"
		       "                   at most 375 GB/s, read 300.0 (80 %)\n");
	modules("2 x 8 GiB DDR3-1333 + 2 x 4 GiB DDR3-1333 + 1 x 2 GiB DDR3-1333", 375.4);
	expect_modules(
		"memory modules     2 x 8 GiB DDR3-1333 + 2 x 4 GiB DDR3-1333 + 1 x 2 GiB DDR...\n"
		"                   at most 375 GB/s, read 300.0 (80 %)\n");
}

TEST(nothing_measured_is_no_card)
{
	begin();
	print_card();
	assert_string_equal("", said);
	unresolved("l1d_bytes", NOT_MEASURED);
	unresolved("core_clock_hz", NOT_MEASURED);
	lone("l1d_latency_cycles", 5, "cycles"); /* of a cache that is not known */
	print_card();
	assert_string_equal("", said);
}

/* Lines of SMIs and of what a CPU takes to wake: as much as is known. */

static void smis(double rate, double length, double longest, double period)
{
	card_begin(&card);
	strcpy(lone("smis_per_second", rate, "1/s")->reason, "SMIs are not counted here");
	lone("smi_length_ns", length, "ns");
	lone("smi_longest_ns", longest, "ns");
	lone("smi_period_ns", period, "ns");
	print_card();
}

/* Columns 19 to 73, then how sure it is. */
static void expect_line(const char *title, const char *text)
{
	char line[96];

	snprintf(line, sizeof line, "\n%-18s %-54s 90 %%\n", title, text);
	expect(line);
}

TEST(as_much_of_smis_as_is_known)
{
	smis(NAN, NAN, NAN, NAN);
	expect("\nSMIs               ? SMIs are not counted here\n");
	smis(0, NAN, NAN, NAN);
	expect_line("SMIs", "0/s");
	smis(2.08, 181234, 12415333, NAN);
	expect_line("SMIs", "2.08/s, of 181 to 12415 us");
	smis(2.08, 181234, 12415333, 481e6);
	expect_line("SMIs", "2.08/s, of 181 to 12415 us, every 0.481 s");
	begin();
	print_card();
	assert_null(strstr(said, "SMIs"));
}

static void wakes(double hlt, double mwait, double deepest, double timer)
{
	static const char *const names[] = { "wake_hlt_ns", "wake_mwait_ns", "wake_deepest_ns",
		"wake_timer_ns" };
	const double ns[] = { hlt, mwait, deepest, timer };

	card_begin(&card);
	for (unsigned i = 0; i < 4; i++)
		strcpy(lone(names[i], ns[i], "ns")->reason, NOT_MEASURED);
	print_card();
	for (const char *at = said; *at; at = strchr(at, '\n') + 1)
		assert_true(strchr(at, '\n') - at <= 79);
}

/* The last of a guest, whose CPUs come back when its hypervisor lets them. */
TEST(as_many_ways_to_wake_as_are_known)
{
	wakes(1803.6, 819.6, 37376.2, 2659.9);
	expect_line("to wake a CPU", "HLT 1804, C1 820, deepest 37376, timer 2660 ns");
	wakes(1803.6, NAN, NAN, NAN);
	expect_line("to wake a CPU", "HLT 1804 ns");
	wakes(NAN, NAN, NAN, 1500);
	expect_line("to wake a CPU", "timer 1500 ns");
	wakes(NAN, NAN, NAN, NAN);
	assert_null(strstr(said, "to wake a CPU"));
	wakes(123456, 123456, 1234567, 12345);
}

/* The numbers of a damaged file do not overflow a line: it is cut where its space ends. */
TEST(absurd_numbers_are_cut)
{
	static const char *const names[] = { "l1d_bytes", "l1d_latency_cycles", "l1d_latency_ns",
		"memory_latency_cycles", "memory_latency_ns", "l1d_ways", "dtlb_4k_entries",
		"stlb_entries", "stlb_hit_cycles", "walk_cycles", "parallel_misses",
		"parallel_misses_4k", "page_size_effect", "read_bytes_per_cycle_l1",
		"read_bytes_per_cycle_memory", "predictor_branches", "predictor_perfect",
		"learning_passes", "core_clock_hz", "noise_stolen_ppm", "noise_gaps_per_second",
		"noise_longest_ns" };
	char text[CARD_TEXT];

	for (double x = 1e13; x < 1e60; x *= 10) {
		begin();
		card.family = card.model = card.stepping = x;
		for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
			struct card_value *v = between(names[i], x, 2 * x, 3 * x, "of any unit");

			v->confidence = v->claimed = v->floor = v->disturbed_share = x;
			if (i & 1)
				soft(v, x, 2 * x, 3 * x);
		}
		print_card();
		for (unsigned i = 0; i < card.n; i++) {
			card_value_text(&card.values[i], text);
			assert_true(strlen(text) < CARD_TEXT);
		}
	}
}
