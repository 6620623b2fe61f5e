/* SPDX-License-Identifier: MIT */
/* Values of a card as text, and the lines that they are read from. */
#include "tests/unit/card_fixture.h"

static void read_lines(const char *const *lines, size_t n)
{
	card_begin(&card);
	for (size_t i = 0; i < n; i++)
		card_line(lines[i]);
}

static void expect_text(const char *name, const char *expected)
{
	char text[CARD_TEXT];

	card_value_text(card_value(&card, name), text);
	if (strcmp(text, expected))
		fail_msg("%s: expected '%s', came '%s'", name, expected, text);
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

TEST(values_have_a_text)
{
	read_lines(lines, sizeof lines / sizeof *lines);
	expect_text("l1d_bytes", "48K (39.1K..64K)");
	expect_text("l1d_latency_cycles", "5.04 cycles");
	expect_text("l3_bytes", "? no such level on the curve");
	assert_null(card_value(&card, "no such value"));
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

	read_lines(values, 3);
	expect_text("l2_bytes",
		"? levels run into one another;\n                               "
		"512K in quiet moments (77 % disturbed)");
	expect_text("l3_bytes",
		"33M (24M..41M),\n                               "
		"soft: 10 % at 28M, 50 % at 33M, 90 % at 41M;\n"
		"                               "
		"512K in quiet moments (77 % disturbed)");
	expect_text("l1d_bytes", "32K; 512K in quiet moments (77 % disturbed)");
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
	memset(&card, 0xff, sizeof card);
	card_begin(&card);
	assert_int_equal(0, card.n);
	assert_null(card_value(&card, ""));
	assert_string_equal("", card.cpu);
	card_line(run);
	assert_string_equal(card.mark, "EMULATED");
	assert_string_equal("V", card.cpu);
	card_line(lines[0]);
	assert_string_equal(card.mark, "");
	assert_string_equal("A \"fast\" one", card.cpu);
	assert_true(card.family == 6 && card.model == 143 && card.stepping == 8);
	/* what a line lacks is nothing, whatever stood there */
	memset(card.values, 'x', sizeof card.values);
	card_line(lines[4]);
	assert_string_equal("", card.values[0].reason);
	assert_null(card_value(&card, "no such value"));
}

/* More summary lines than there is space for: the first ones stay, nothing is overrun. */
TEST(too_many_lines_do_no_harm)
{
	card_begin(&card);
	for (unsigned i = 0; i < 3 * CARD_VALUES; i++)
		card_line(lines[2]);
	assert_int_equal(card.n, CARD_VALUES);
}
