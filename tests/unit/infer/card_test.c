/* SPDX-License-Identifier: MIT */
/* The card is made of result lines and nothing else. */
#include "infer/card.h"
#include "infer/infer.h"
#include "tests/unit/test.h"

static char said[8192];

static void hear(void *to, const char *text, size_t n)
{
	size_t used = strlen(said);

	assert_true(used + n < sizeof said);
	memcpy(said + used, text, n);
	said[used + n] = 0;
}

static void read_lines(struct card *c, const char *const *lines, size_t n)
{
	card_begin(c);
	for (size_t i = 0; i < n; i++)
		card_read(c, (struct line){ lines[i], strlen(lines[i]) });
	*said = 0;
	card_print(c, hear, NULL);
}

static void expect(const char *text)
{
	if (!strstr(said, text))
		fail_msg("the card lacks '%s':\n%s", text, said);
}

static const char *const lines[] = {
	"{\"kind\":\"run\",\"room\":\"bare\",\"cpu\":{\"vendor\":\"V\",\"brand\":\"A \\\"fast\\\" "
	"one\",\"family\":6,\"model\":143,\"stepping\":8},\"emulated\":false,\"hypervisor\":\"\"}"
	"\n",
	"{\"kind\":\"row\",\"room\":\"bare\",\"name\":\"l1d_bytes\",\"value\":1}\n",
	"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"l1d_bytes\",\"value\":49152,\"unit\":"
	"\"bytes\",\"low\":40000,\"high\":65536,\"claimed\":49152,\"agrees\":true,\"confidence\":"
	"0.89,\"rests_on\":\"x\"}\n",
	"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"l1d_latency_cycles\",\"value\":5.04,"
	"\"unit\":\"cycles\",\"claimed\":null,\"confidence\":0.9}",
	"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"line_bytes\",\"value\":64,\"unit\":"
	"\"bytes\",\"claimed\":128,\"agrees\":false,\"confidence\":0.95}\n",
	"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"l3_bytes\",\"value\":null,\"unit\":"
	"\"bytes\",\"claimed\":null,\"confidence\":0,\"reason\":\"no such level on the curve\"}\n",
	"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"l2_bytes\",\"value\":null,\"unit\":"
	"\"bytes\",\"claimed\":null,\"confidence\":0,\"reason\":\"not measured in this run\"}\n",
	"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"read_bytes_per_cycle_l1\",\"value\":96."
	"02,"
	"\"unit\":\"bytes/cycle\",\"claimed\":null,\"confidence\":0.9}\n",
	"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"read_bytes_per_cycle_memory\","
	"\"value\":0.034,"
	"\"unit\":\"bytes/cycle\",\"claimed\":null,\"confidence\":0.9}\n",
	"not JSON at all",
	"",
};

TEST(the_lines_make_the_card)
{
	static struct card c;

	read_lines(&c, lines, sizeof lines / sizeof *lines);
	expect("The machine as measured in room bare\n");
	expect("A \"fast\" one, family 6, model 143, stepping 8\n");
	expect("L1 data cache      39.1K..64K      5.0 cy              48K      agrees    89 %");
	expect("cache line         64 bytes                            128      DISAGREES 95 %");
	expect("L3 cache           ? no such level on the curve");
	expect("? not resolved, why: 1. Unlike CPUID's claim: 1.\n");
	expect("read  B/cycle      96.0 / - / - / 0.034 ");
	assert_null(strstr(said, "L2 cache"));
	assert_null(strstr(said, "VIRTUAL"));
}

TEST(values_have_a_text)
{
	static struct card c;
	char text[CARD_TEXT];

	read_lines(&c, lines, sizeof lines / sizeof *lines);
	card_value_text(card_value(&c, "l1d_bytes"), text);
	assert_string_equal(text, "48K (39.1K..64K)");
	card_value_text(card_value(&c, "l1d_latency_cycles"), text);
	assert_string_equal(text, "5.04 cycles");
	card_value_text(card_value(&c, "l3_bytes"), text);
	assert_string_equal(text, "? no such level on the curve");
	assert_null(card_value(&c, "no such value"));
}

TEST(a_soft_edge_says_where_it_rises)
{
	static const char *const soft[] = {
		"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"l3_bytes\",\"value\":34603008,"
		"\"unit\":\"bytes\",\"low\":25165824,\"high\":42991616,\"rise_10\":29360128,"
		"\"rise_50\":34603008,\"rise_90\":42991616,\"claimed\":null,\"confidence\":0.7}"
	};
	static struct card c;
	char text[CARD_TEXT];

	read_lines(&c, soft, 1);
	card_value_text(card_value(&c, "l3_bytes"), text);
	assert_string_equal(text,
		"33M (24M..41M),\n                               "
		"soft: 10 % at 28M, 50 % at 33M, 90 % at 41M");
	expect("L3 cache           28M..41M soft ");
}

TEST(no_line_of_a_value_has_more_than_80_columns)
{
#define DISTURBED(name, more)                                                                      \
	"{\"kind\":\"summary\",\"room\":\"hosted\",\"name\":\"" name "\",\"unit\":\"bytes\"," more \
	",\"claimed\":null,\"confidence\":0.7,\"floor\":524288,\"disturbed_share\":0.77}"
	static const char *const values[] = {
		DISTURBED("l2_bytes", "\"value\":null,\"reason\":\"levels run into one another\""),
		DISTURBED("l3_bytes",
			"\"value\":34603008,\"low\":25165824,\"high\":42991616,\"rise_10\":"
			"29360128,"
			"\"rise_50\":34603008,\"rise_90\":42991616"),
		DISTURBED("l1d_bytes", "\"value\":32768,\"low\":32768,\"high\":32768"),
	};
	static struct card c;
	char text[CARD_TEXT];

	read_lines(&c, values, 3);
	card_value_text(card_value(&c, "l2_bytes"), text);
	assert_string_equal(text,
		"? levels run into one another;\n                               "
		"512K in quiet moments (77 % disturbed)");
	card_value_text(card_value(&c, "l3_bytes"), text);
	assert_string_equal(text,
		"33M (24M..41M),\n                               "
		"soft: 10 % at 28M, 50 % at 33M, 90 % at 41M;\n"
		"                               "
		"512K in quiet moments (77 % disturbed)");
	card_value_text(card_value(&c, "l1d_bytes"), text);
	assert_string_equal(text, "32K; 512K in quiet moments (77 % disturbed)");
}

#define ENTRIES(name, value, low, high)                                                            \
	"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"" name "\",\"value\":" value           \
	",\"unit\":\"entries\",\"low\":" low ",\"high\":" high                                     \
	",\"claimed\":null,\"confidence\":0.7}"

/* Adjacent whole numbers are an exact count; others a range with both ends included. */
TEST(a_count_that_is_known_exactly_is_one_number)
{
	static const char *const counts[] = { ENTRIES("dtlb_4k_entries", "64", "64", "65"),
		ENTRIES("stlb_entries", "1580", "1471", "1793"),
		ENTRIES("dtlb_2m_entries", "32", "32", "33") };
	static struct card c;
	char text[CARD_TEXT];

	read_lines(&c, counts, 3);
	card_value_text(card_value(&c, "dtlb_4k_entries"), text);
	assert_string_equal(text, "64 entries");
	card_value_text(card_value(&c, "stlb_entries"), text);
	assert_string_equal(text, "1580 (1471..1792) entries");
	expect("TLB, 4 KiB pages   64 + 1471..1792 ");
}

/* The claim is that for the first level; the line is as sure as the least sure value in it. */
TEST(a_tlb_line_is_as_sure_as_both_levels)
{
	static const char *const levels[] = {
		"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"dtlb_4k_entries\",\"value\":64,"
		"\"unit\":\"entries\",\"low\":64,\"high\":65,\"claimed\":64,\"agrees\":true,"
		"\"confidence\":0.88}",
		"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"stlb_entries\",\"value\":2048,"
		"\"unit\":\"entries\",\"low\":2048,\"high\":2049,\"claimed\":1536,\"agrees\":"
		"false,\"confidence\":0.61}"
	};
	static struct card c;

	read_lines(&c, levels, 2);
	expect("TLB, 4 KiB pages   64 + 2048                           64       agrees    61 %");
}

/* A walk's cost keeps its place and its unit where that of a hit is not known. */
TEST(a_walk_may_be_known_without_a_hit)
{
	static const char *const walk[] = { ENTRIES("dtlb_4k_entries", "64", "64", "65"),
		"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"walk_cycles\",\"value\":33.5,"
		"\"unit\":\"cycles\",\"claimed\":null,\"confidence\":0.8}" };
	static struct card c;

	read_lines(&c, walk, 2);
	expect("TLB, 4 KiB pages   64, walk +33.5 cy ");
}

/* A value whose text is so long that what follows ends at column 80, or one beyond. */
TEST(a_line_is_broken_where_it_is_too_long)
{
	struct card_value v = { .value = 64, .low = 64, .high = 64, .floor = 7, .rise = { NAN } };
	static const char floor[] = "7 in quiet moments (50 % disturbed)";
	char text[CARD_TEXT], expected[CARD_TEXT];

	v.disturbed_share = 0.5;
	for (unsigned n = 5; n <= 15; n++) {
		unsigned end = CARD_VALUE_COLUMN + 3 + n + 2 + sizeof floor - 1;

		memset(v.unit, 'u', n);
		v.unit[n] = 0;
		card_value_text(&v, text);
		snprintf(expected, sizeof expected, "64 %s;%s%s", v.unit,
			end <= CARD_VALUE_END ? " " : "\n                               ", floor);
		assert_string_equal(text, expected);
	}
	/* of several lines the last one counts */
	strcpy(v.unit, "cycles");
	v.rise[0] = 1234567;
	v.rise[1] = 22345678;
	v.rise[2] = 333456789;
	card_value_text(&v, text);
	assert_string_equal(text,
		"64 cycles,\n                               "
		"soft: 10 % at 1234567, 50 % at 22345678, 90 % at 333456789;\n"
		"                               7 in quiet moments (50 % disturbed)");
}

TEST(a_bracket_has_its_text)
{
	static const struct {
		double low, value, high;
		const char *unit, *text;
	} values[] = { { 64, 64, 64, "ways", "64 ways" }, { 64, 64, 65, "ways", "64 ways" },
		{ 64, 64, 66, "ways", "64..65 ways" }, { 63, 64, 65, "ways", "64 (63..64) ways" },
		{ 64.5, 64.5, 66, "ways", "64.5..66 ways" },
		{ 64, 64.5, 66, "ways", "64.5 (64..66) ways" },
		{ 64, 64, 66.5, "ways", "64..66.5 ways" },
		{ 1e15, 1e15, 2e15, "ways", "1e+15..2e+15 ways" },
		{ 1.23456789, 1.23456789, 1.23456789, "cycles", "1.23457 cycles" },
		{ -1.23456e-10, -1.23456e-10, 0.5, "cycles", "-1.23456e-10..0.5 cycles" },
		{ 1024, 1024, 2048, "bytes", "1K..2K" }, { 1024, 1024, 1024, "bytes", "1K" },
		{ 1024, 1536, 2048, "bytes", "1.5K (1K..2K)" },
		{ 64, 64, NAN, "entries", "64 or more entries" } };
	char text[CARD_TEXT];

	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		struct card_value v = { .low = values[i].low,
			.value = values[i].value,
			.high = values[i].high,
			.floor = NAN,
			.rise = { NAN, NAN, NAN } };

		strcpy(v.unit, values[i].unit);
		card_value_text(&v, text);
		assert_string_equal(text, values[i].text);
	}
}

TEST(a_card_begins_empty)
{
	static const char run[] = "{\"kind\":\"run\",\"room\":\"bare\",\"emulated\":true,"
				  "\"hypervisor\":\"TCGTCGTCGTCG\",\"cpu\":{\"vendor\":\"V\"}}";
	static struct card c;

	memset(&c, 0xff, sizeof c);
	card_begin(&c);
	assert_int_equal(0, c.n);
	assert_null(card_value(&c, ""));
	assert_string_equal("", c.cpu);
	card_read(&c, (struct line){ run, strlen(run) });
	assert_string_equal(c.mark, "EMULATED");
	assert_string_equal("V", c.cpu);
	card_read(&c, (struct line){ lines[0], strlen(lines[0]) });
	assert_string_equal(c.mark, "");
	assert_string_equal("A \"fast\" one", c.cpu);
	assert_true(c.family == 6 && c.model == 143 && c.stepping == 8);
	/* what a line lacks is nothing, whatever stood there */
	memset(c.values, 'x', sizeof c.values);
	card_read(&c, (struct line){ lines[4], strlen(lines[4]) });
	assert_string_equal("", c.values[0].reason);
	assert_null(card_value(&c, "no such value"));
}

/* Absurd counts of a damaged line: their text is cut where the card's line ends. */
TEST(counts_too_long_are_cut)
{
	static const char *const counts[] = { ENTRIES("dtlb_4k_entries", "1e40", "1e40", "1e40"),
		ENTRIES("stlb_entries", "2e40", "2e40", "2e40") };
	static struct card c;

	read_lines(&c, counts, 2);
	expect("TLB, 4 KiB pages   1000000000");
}

/* More summary lines than there is space for: the first ones stay, nothing is overrun. */
TEST(too_many_lines_do_no_harm)
{
	static struct card c;

	card_begin(&c);
	for (unsigned i = 0; i < 3 * CARD_VALUES; i++)
		card_read(&c, (struct line){ lines[2], strlen(lines[2]) });
	assert_int_equal(c.n, CARD_VALUES);
}

/* Whole cards, line by line. */

static char said_whole[8192];
static struct card card;

static void hear_whole(void *to, const char *text, size_t n)
{
	size_t used = strlen(said_whole);

	assert_ptr_equal(to, &card);
	assert_int_equal(strlen(text), n);
	assert_true(used + n < sizeof said_whole);
	memcpy(said_whole + used, text, n + 1);
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
	*said_whole = 0;
	card_print(&card, hear_whole, &card);
	for (const char *came = said_whole; *came || *expected;) {
		int n = (int)strcspn(came, "\n"), m = (int)strcspn(expected, "\n");

		if (n != m || strncmp(came, expected, (size_t)n) || came[n] != expected[m])
			fail_msg("expected the line\n'%.*s', came\n'%.*s'", m, expected, n, came);
		came += n + (came[n] != 0);
		expected += m + (expected[m] != 0);
	}
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
		"the room was       noisy: 1234 ppm, 99.6 gaps/s, to 54.3 us               90 %\n"
		"L1 data cache      39.1K..64K      5.0 cy    1.68 ns   48K      agrees    90 %\n"
		"L2 cache           2M             16.0 cy    5.32 ns   1M       DISAGREES 90 %\n"
		"L3 cache           28M..41M soft  70.5 cy   23.50 ns                      90 %\n"
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
	strcpy(card.cpu, "CPU");
	lone("cr3_cycles", NAN, "cycles");
	lone("cpuid_cycles", 137, "cycles");
	between("tsc_skew_ns", 114481.6, 115792.4, 117103.3, "ns");
	lone("tsc_drift_ppm", 2.73, "ppm");
	lone("tsc_adjust_ticks", 1242597, "ticks");
	expect_card(
		"\n"
		"The machine as measured in room bare\n"
		"CPU, family 6, model 143, stepping 8\n"
		"                   measured                            CPUID              sure\n"
		"privileged         CPUID 137 cycles                                       90 %\n"
		"TSCs differ by     114482..117103 ns, 2.73 ppm, TSC_ADJUST 1242597        90 %\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n");
}

/*
 * Where a load of more than was stored takes no longer, nothing is said of it; nor of kinds of
 * instructions that were not asked for, or scatter.
 */
TEST(of_stores_loads_and_what_issues_what_is_known)
{
	begin();
	strcpy(card.cpu, "CPU");
	lone("store_forward_cycles", 7.8, "cycles");
	lone("store_forward_same_cycles", 1, "cycles");
	lone("store_forward_fail_cycles", NAN, "cycles");
	lone("alias_4k_cycles", NAN, "cycles");
	lone("issue_width", NAN, "ops/cycle");
	lone("adds_per_cycle", NAN, "ops/cycle");
	lone("loads_per_cycle", 2, "ops/cycle");
	lone("stores_per_cycle", 1, "ops/cycle");
	expect_card(
		"\n"
		"The machine as measured in room bare\n"
		"CPU, family 6, model 143, stepping 8\n"
		"                   measured                            CPUID              sure\n"
		"store to load      7.8, same register 1.0 cy                              90 %\n"
		"issued a cycle     load 2.0, store 1.0 ops                                90 %\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n");
}

/* What is longer than its column and is another value at quiet moments has no claim of CPUID. */
TEST(the_value_of_quiet_moments_is_no_claim)
{
	begin();
	strcpy(card.cpu, "CPU");
	between("dtlb_2m_entries", 32, 32, 33, "entries")->floor = 30;
	between("stlb_2m_entries", 1470, 1470, 1793, "entries");
	lone("stlb_2m_hit_cycles", 8, "cycles");
	lone("walk_2m_cycles", 21.5, "cycles");
	expect_card(
		"\n"
		"The machine as measured in room bare\n"
		"CPU, family 6, model 143, stepping 8\n"
		"                   measured                            CPUID              sure\n"
		"TLB, 2 MiB pages   32 + 1470..1792, miss +8.0, walk +21.5 cy quiet 30     90 %*\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n"
		"* another value in quiet moments: 1. q the one of quiet moments: 0.\n");
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
		"\n"
		"The machine as measured in room bare   *** VIRTUAL: under a hypervisor ***\n"
		"A processor with a name of forty-five le, family 6, model 143, stepping 8\n"
		"                   measured                            CPUID              sure\n"
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
		"* another value in quiet moments: 2. q the one of quiet moments: 0.\n");
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
		"memory                           300.0 cy  100.00 ns   busy 300 ns        80 %q\n"
		"misses at once     20.0                                quiet 24           90 %*\n"
		"4 KiB pages cost   1.50 times the latency of memory    quiet 1.35         50 %*\n"
		"window             96..119 instructions                quiet 90           90 %*\n"
		"misprediction      17 cycles                           busy 20            70 %q\n"
		"? not resolved, why: 0. Unlike CPUID's claim: 0.\n"
		"* another value in quiet moments: 3. q the one of quiet moments: 2.\n");
}

/* How much of the time others took decides how the rest is read. */
TEST(the_room_comes_first)
{
	static const struct {
		double ppm;
		const char *text;
	} rooms[] = { { 99.9, "quiet: 99.9 ppm" }, { 100, "noisy: 100 ppm" },
		{ 10000, "noisy: 10000 ppm" }, { 612345, "busy: 612345 ppm" } };
	static const char bounds[] =
		"so that latencies are upper bounds, and rates lower ones\nmemory ";

	for (unsigned i = 0; i < sizeof rooms / sizeof *rooms; i++) {
		char expected[80];

		begin();
		lone("memory_latency_ns", 100, "ns");
		lone("noise_stolen_ppm", rooms[i].ppm, "ppm");
		lone("noise_gaps_per_second", 3, "1/s");
		lone("noise_longest_ns", 2000, "ns");
		*said_whole = 0;
		card_print(&card, hear_whole, &card);
		snprintf(expected, sizeof expected, "\nthe room was       %s, 3 gaps/s, to 2 us ",
			rooms[i].text);
		if (!strstr(said_whole, expected) || !!strstr(said_whole, bounds) != (i == 3))
			fail_msg("expected '%s', came:\n%s", expected, said_whole);
	}
}

TEST(the_head_says_who_is_under_it)
{
	static const struct {
		const char *members, *after;
	} heads[] = { { "", "in room bare\nFast" },
		{ ",\"hypervisor\":\"\"", "in room bare\nFast" },
		{ ",\"hypervisor\":\"K\"",
			"in room bare   *** VIRTUAL: under a hypervisor ***\nFast" },
		{ ",\"hypervisor\":\"\",\"emulated\":true",
			"in room bare   *** EMULATED: times mean nothing ***\nFast" },
		{ ",\"hypervisor\":\"known-answer\",\"emulated\":true",
			"in room bare   *** SIMULATED: a stated machine ***\nFast" },
		{ ",\"hypervisor\":\"\",\"may_be\":\"\"", "in room bare\nFast" },
		{ ",\"may_be\":\"virtual\",\"may_be_why\":\"it is odd; very\"",
			"in room bare   *** MAY BE VIRTUAL ***\n(it is odd)\nFast" },
		{ ",\"hypervisor\":\"K\",\"may_be\":\"emulated\",\"may_be_why\":\"odd\"",
			"in room bare   *** MAY BE EMULATED ***\n(odd)\nFast" },
		{ ",\"siblings\":\"not started\"", "in room bare\nFast" },
		{ ",\"siblings\":\"pause\"",
			"in room bare\n(a thread beside it spun: window and misses are those of "
			"half a core)\nFast" } };

	for (unsigned i = 0; i < sizeof heads / sizeof *heads; i++) {
		char run[256];

		begin();
		snprintf(run, sizeof run,
			"{\"kind\":\"run\",\"room\":\"bare\",\"cpu\":{\"brand\":\"Fast CPU\"}%s}",
			heads[i].members);
		card_read(&card, (struct line){ run, strlen(run) });
		lone("return_stack", 16, "calls");
		*said_whole = 0;
		card_print(&card, hear_whole, &card);
		assert_non_null(strstr(said_whole, heads[i].after));
	}
}

/* What the card says of them, below its head and one value. */
static void expect_modules(const char *lines)
{
	char expected[512];

	snprintf(expected, sizeof expected,
		"\nThe machine as measured in room bare\n"
		"Fast CPU, family 6, model 143, stepping 8\n"
		"                   measured                            CPUID              sure\n"
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
		*said_whole = 0;
		card_print(&card, hear_whole, &card);
		for (unsigned i = 0; i < card.n; i++) {
			card_value_text(&card.values[i], text);
			assert_true(strlen(text) < CARD_TEXT);
		}
	}
}
