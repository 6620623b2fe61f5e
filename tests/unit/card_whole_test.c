/* SPDX-License-Identifier: MIT */
/* Whole cards, line by line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "infer/card.h"
#include "infer/infer.h"
#include "tests/unit/test.h"

static char said[8192];
static struct card card;

static void hear(void *to, const char *text, size_t n)
{
	size_t used = strlen(said);

	assert_ptr_equal(to, &card);
	assert_int_equal(strlen(text), n);
	assert_true(used + n < sizeof said);
	memcpy(said + used, text, n + 1);
}

static void begin(void)
{
	card_begin(&card);
	strcpy(card.room, "bare");
	strcpy(card.cpu, "Fast CPU");
	card.family = 6;
	card.model = 143;
	card.stepping = 8;
}

/* A value without a claim, and without a bracket. */
static struct card_value *lone(const char *name, double value, const char *unit)
{
	struct card_value *v = &card.values[card.n++];

	*v = (struct card_value){ .value = value,
		.low = value,
		.high = value,
		.claimed = NAN,
		.floor = NAN,
		.rise = { NAN, NAN, NAN },
		.confidence = 0.9 };
	snprintf(v->name, sizeof v->name, "%s", name);
	snprintf(v->unit, sizeof v->unit, "%s", unit);
	return v;
}

static struct card_value *between(const char *name, double low, double value, double high,
	const char *unit)
{
	struct card_value *v = lone(name, value, unit);

	v->low = low;
	v->high = high;
	return v;
}

static struct card_value *unresolved(const char *name, const char *why)
{
	struct card_value *v = lone(name, NAN, "bytes");

	snprintf(v->reason, sizeof v->reason, "%s", why);
	v->confidence = 0;
	return v;
}

static void claim(struct card_value *v, double claimed)
{
	v->claimed = claimed;
	v->agrees = claimed == v->value;
}

static void soft(struct card_value *v, double from, double middle, double to)
{
	v->rise[0] = from;
	v->rise[1] = middle;
	v->rise[2] = to;
}

/* `expected`: its lines, which the message compares one by one. */
static void expect_card(const char *expected)
{
	*said = 0;
	card_print(&card, hear, &card);
	for (const char *came = said; *came || *expected;) {
		int n = (int)strcspn(came, "\n"), m = (int)strcspn(expected, "\n");

		if (n != m || strncmp(came, expected, (size_t)n) || came[n] != expected[m])
			fail_msg("expected the line\n'%.*s', came\n'%.*s'", m, expected, n, came);
		came += n + (came[n] != 0);
		expected += m + (expected[m] != 0);
	}
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
	lone("mispredict_cycles", 17.25, "cycles");
	between("predictor_branches", 4096, 4096, 8192, "branches");
	lone("predictor_perfect", 2048, "branches");
	lone("learning_passes", 12, "passes");
	between("branch_targets", 12288, 12288, 12289, "jumps");
	lone("return_stack", 24, "calls");
	lone("core_clock_hz", 3.2e9, "Hz");
	lone("core_tsc_ratio", 1.6, "");
	lone("noise_stolen_ppm", 1234, "ppm");
	lone("noise_gaps_per_second", 99.6, "1/s");
	lone("noise_longest_ns", 54321, "ns");
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
		"\n"
		"The machine as measured in room bare\n"
		"Fast CPU, family 6, model 143, stepping 8\n"
		"                   measured                            CPUID              sure\n"
		"L1 data cache      39.1K..64K      5.0 cy    1.68 ns   48K      agrees    90 %\n"
		"L2 cache           2M             16.0 cy    5.32 ns   1M       DISAGREES 90 %\n"
		"L3 cache           28M..41M soft  70.5 cy   23.50 ns                      90 %\n"
		"memory                           360.3 cy  120.10 ns                      90 %\n"
		"cache line         64 bytes                            64       agrees    90 %\n"
		"L1 ways            12 ways                             12       agrees    90 %\n"
		"TLB, 4 KiB pages   96 + 2048 entries, +7.0 / +33.3 cy  96       agrees    90 %\n"
		"TLB, 2 MiB pages   32 + 1470..1792, +8.0/+21.5 cy                         90 %\n"
		"misses at once     16.3 (12.0 with 4 KiB pages)                           90 %\n"
		"4 KiB pages cost   1.27 times the latency of memory                       90 %\n"
		"read  B/cycle      128.0 / 64.0 / 20.0 / 0.1                              90 %\n"
		"write B/cycle      64.0 / 32.0 / 10.0 / 0.094                             90 %\n"
		"copy  B/cycle      - / 16.0 / 8.0 / 1.0                                   90 %\n"
		"window             512..527 instructions                                  90 %\n"
		"misprediction      17.25 cycles                                           90 %\n"
		"random branches    4096..8191 (2048 perfectly), 12 passes                 90 %\n"
		"branch targets     12288 jumps                                            90 %\n"
		"return stack       24 calls                                               90 %\n"
		"core clock         3.200 GHz, 1.600 times the TSC                         90 %\n"
		"stolen time        1234 ppm, 99.6 gaps/s, to 54.3 us                      90 %\n"
		"? = not resolved, why. 0 not resolved, 1 unlike CPUID's claim.\n");
}

/* Levels that are missing, not resolved or otherwise at quiet moments; numbers that need space. */
TEST(every_other_line_of_a_card)
{
	begin();
	card.virtual = true;
	strcpy(card.cpu, "A processor with a name of forty-five letters");
	unresolved("l1d_bytes", "levels run into one another, or so it seems");
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
		"\n"
		"The machine as measured in room bare   *** VIRTUAL: under a hypervisor ***\n"
		"A processor with a name of forty-five le, family 6, model 143, stepping 8\n"
		"                   measured                            CPUID              sure\n"
		"L1 data cache      ? levels run into one another, or so it seems\n"
		"L3 cache           ? no such level on the curve                          *\n"
		"L4 cache           96M..130M       50.00 ns                               90 %*\n"
		"cache line         64 bytes                            128      DISAGREES 90 %\n"
		"L1 ways            1000000000..2000000000 long words   123456789 DISAGREES 90 %\n"
		"TLB, 4 KiB pages   64 entries, +7.0 cy                                    90 %\n"
		"TLB, 2 MiB pages   32..33, +8.0 cy                                        90 %\n"
		"misses at once     1234.5 (1000.0 with 4 KiB pages)                       90 %\n"
		"read  B/cycle      1000.0 / 1000.0 / 100.0 / 10.0 / 0.05                  90 %\n"
		"copy  B/cycle      32.0 / - / - / 2.0                                     90 %\n"
		"random branches    3000                                                   90 %\n"
		"core clock         12.200 GHz, 11.90 GHz to 12.40 GHz                     90 %\n"
		"?: 2 not resolved; *: 2 otherwise in quiet moments; 2 unlike CPUID's claim.\n");
}

/* What was disturbed in more than a tenth of its samples, and by more than it is doubted. */
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
		"\n"
		"The machine as measured in room bare\n"
		"Fast CPU, family 6, model 143, stepping 8\n"
		"                   measured                            CPUID              sure\n"
		"memory                           300.0 cy  100.00 ns                      80 %q\n"
		"misses at once     20.0                                                   90 %*\n"
		"4 KiB pages cost   1.50 times the latency of memory                       50 %*\n"
		"window             96..119 instructions                                   90 %*\n"
		"misprediction      17 cycles                                              70 %q\n"
		"?: 0 not resolved; quiet moments *: 3 other, q: 2 shown; 0 unlike CPUID.\n");
}

TEST(the_head_says_who_is_under_it)
{
	static const char *const after[] = { "in room bare\n",
		"in room bare   *** VIRTUAL: under a hypervisor ***\n",
		"in room bare   *** EMULATED: these mean nothing ***\n",
		"in room bare   *** EMULATED: these mean nothing ***\n" };

	for (unsigned i = 0; i < 4; i++) {
		begin();
		card.virtual = i & 1;
		card.emulated = i & 2;
		lone("return_stack", 16, "calls");
		*said = 0;
		card_print(&card, hear, &card);
		assert_non_null(strstr(said, after[i]));
	}
}

TEST(nothing_measured_is_no_card)
{
	begin();
	expect_card("");
	unresolved("l1d_bytes", NOT_MEASURED);
	unresolved("core_clock_hz", NOT_MEASURED);
	lone("l1d_latency_cycles", 5, "cycles"); /* of a cache that is not known */
	expect_card("");
}

/* As in a damaged file: each line is cut where its space ends. */
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
		*said = 0;
		card_print(&card, hear, &card);
		for (unsigned i = 0; i < card.n; i++) {
			card_value_text(&card.values[i], text);
			assert_true(strlen(text) < CARD_TEXT);
		}
	}
}
