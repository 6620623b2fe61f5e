/* SPDX-License-Identifier: MIT */
/* The card is made of result lines and nothing else. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "infer/card.h"
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
	expect("1 not resolved, 1 unlike CPUID's claim.");
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

/* The line of a TLB rests on its first level: the claim and the confidence are that level's. */
TEST(a_tlb_line_is_that_of_its_first_level)
{
	static const char *const levels[] = {
		"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"dtlb_4k_entries\",\"value\":64,"
		"\"unit\":\"entries\",\"low\":64,\"high\":65,\"claimed\":64,\"agrees\":true,"
		"\"confidence\":0.61}",
		"{\"kind\":\"summary\",\"room\":\"bare\",\"name\":\"stlb_entries\",\"value\":2048,"
		"\"unit\":\"entries\",\"low\":2048,\"high\":2049,\"claimed\":1536,\"agrees\":"
		"false,\"confidence\":0.88}"
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
	expect("TLB, 4 KiB pages   64 entries, ? / +33.5 cy ");
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
		{ 1024, 1536, 2048, "bytes", "1.5K (1K..2K)" } };
	char text[CARD_TEXT], range[CARD_TEXT];

	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		struct card_value v = { .low = values[i].low,
			.value = values[i].value,
			.high = values[i].high,
			.floor = NAN,
			.rise = { NAN, NAN, NAN } };

		strcpy(v.unit, values[i].unit);
		card_value_text(&v, text);
		assert_string_equal(text, values[i].text);
		if (!(v.low < v.high))
			assert_false(card_count_range(&v, range));
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
	assert_true(c.virtual);
	assert_true(c.emulated);
	assert_string_equal("V", c.cpu);
	card_read(&c, (struct line){ lines[0], strlen(lines[0]) });
	assert_false(c.virtual);
	assert_false(c.emulated);
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
