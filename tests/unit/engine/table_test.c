/* SPDX-License-Identifier: MIT */
/* Tables stay within 79 columns, break where they must, and print numbers as people write them. */
#include <string.h>

#include "engine/table.h"
#include "engine/probe_api.h"
#include "lib/text.h"
#include "tests/unit/test.h"

static const struct unit ns = { "ns/load", SCALE_NS }, gbs = { "GB/s", SCALE_GBS };

static struct row row_of(const char *variant, const struct unit *unit, const char *a, const char *b,
	const char *c)
{
	struct row row = { .variant = variant, .unit = unit, .page_bytes = PAGE_2M };

	for (unsigned i = 0; i < 3; i++) {
		const char *name = (const char *[]){ a, b, c }[i];

		if (name)
			row_param(&row, name, 1536 * (i + 1));
	}
	return row;
}

TEST(known_lines)
{
	struct row row = row_of("pointer-padded", &ns, "bytes", "lanes", NULL);
	struct result r = {
		.row = &row,
		.page_bytes = PAGE_2M,
		.median = 1.389,
		.p99 = 1.4,
		.cycles = 5.004,
		.disturbed = 1,
	};
	struct table t;
	char line[TABLE_LINE];

	table_begin(&t, "EMULATED");
	assert_true(table_fit(&t, &row));
	table_title(&t, "latency", "what it is", line);
	assert_string_equal("latency: what it is  EMULATED", line);
	table_head(&t, line);
	assert_string_equal("  variant         bytes  lanes page     ns/load  cycles     p99",
		line);
	table_row(&t, &r, line);
	assert_string_equal("  pointer-padded   1.5K   3072   2M        1.39    5.00   +0.8%*",
		line);
}

/* A file may hold any name: what does not fit is cut, and nothing is written behind the line. */
TEST(names_longer_than_the_line)
{
	char name[400] = "", room[2 * TABLE_LINE], *line = room;
	const struct unit long_unit = { name, SCALE_PLAIN };
	struct row row = row_of(name, &long_unit, "bytes", NULL, NULL);
	struct result r = { .row = &row, .median = 1, .p99 = 1 };
	struct table t;

	memset(name, 'u', sizeof name);
	name[sizeof name - 1] = 0;
	memset(room, '.', sizeof room);
	table_begin(&t, "");
	table_fit(&t, &row);
	table_head(&t, line);
	assert_true(strlen(line) < TABLE_LINE);
	table_row(&t, &r, line);
	assert_true(strlen(line) < TABLE_LINE);
	for (unsigned i = TABLE_LINE; i < sizeof room; i++)
		assert_int_equal(room[i], '.');
}

TEST(another_unit_is_another_table)
{
	struct row a = row_of("x", &ns, "bytes", NULL, NULL);
	struct row b = row_of("x", &gbs, "bytes", NULL, NULL);
	struct table t;

	table_begin(&t, "");
	assert_true(table_fit(&t, &a));
	assert_false(table_fit(&t, &b));
	assert_true(table_fit(&t, &a));
}

TEST(a_fourth_parameter_is_another_table)
{
	struct row a = row_of("x", &ns, "one", "two", "three");
	struct row b = row_of("y", &ns, "four", NULL, NULL);
	struct table t;

	table_begin(&t, "");
	assert_true(table_fit(&t, &a));
	struct table before = t;

	assert_false(table_fit(&t, &b));
	assert_memory_equal(&before, &t, sizeof t);
}

TEST(widest_table_fits_the_screen)
{
	struct row row =
		row_of("a-variant-that-is-much-too-long", &ns, "bytes", "elements", "instructions");
	struct result r = {
		.row = &row,
		.page_bytes = PAGE_4K,
		.median = 1e12,
		.p99 = 1e16,
		.cycles = 123456.7,
		.disturbed = 9,
	};
	struct table t;
	char line[TABLE_LINE];

	table_begin(&t, "VIRTUAL");
	assert_true(table_fit(&t, &row));
	table_head(&t, line);
	assert_true(strlen(line) <= 79);
	table_row(&t, &r, line);
	assert_true(strlen(line) <= 79);
	table_title(&t, "probe",
		"a description that goes on and on and on and on and on and on and on and on",
		line);
	assert_true(strlen(line) <= 79);
	assert_non_null(strstr(line, "VIRTUAL"));
}

/*
 * Heads are whole as long as the line holds them; a row that makes it too long begins a new table.
 */
TEST(heads_are_whole)
{
	struct row a = row_of("gaps", &ns, "quantum_ns", "seconds", NULL);
	struct row b = row_of("a-longer-variant", &ns, "another_parameter", NULL, NULL);
	struct table t;
	char line[TABLE_LINE];

	table_begin(&t, "");
	assert_true(table_fit(&t, &a));
	assert_false(table_fit(&t, &b));
	table_head(&t, line);
	assert_non_null(strstr(line, " quantum_ns seconds "));
	table_begin(&t, "");
	assert_true(table_fit(&t, &b));
	table_head(&t, line);
	assert_non_null(strstr(line, " another_parameter "));
}

TEST(long_names_have_short_heads)
{
	struct row row = row_of("read", &gbs, "width_bits", "mispredicts_counted", "stride_bytes");
	struct table t;
	char line[TABLE_LINE];

	table_begin(&t, "");
	assert_true(table_fit(&t, &row));
	table_head(&t, line);
	assert_non_null(strstr(line, "   bits counted stride page "));
}

TEST(titles_are_whole)
{
	struct table t;
	char line[TABLE_LINE];

	table_begin(&t, "EMULATED");
	for (unsigned i = 0; i < probe_count; i++) {
		table_title(&t, probes[i].name, probes[i].what, line);
		if (!strstr(line, probes[i].what))
			fail_msg("%s: what it measures is cut: %s (probes/probes.inc)",
				probes[i].name, line);
	}
}

TEST(bytes)
{
	static const struct {
		double bytes;
		const char *text;
	} cases[] = { { 0, "0B" }, { 64, "64B" }, { 1023, "1023B" }, { 1024, "1K" },
		{ 1536, "1.5K" }, { 2097152, "2M" }, { 11184811, "10.7M" }, { 1441792, "1408K" },
		{ 46336, "45.3K" }, { 1310720, "1280K" }, { 1073741824, "1G" },
		{ 127926272, "122M" } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[16];

		size_text(cases[i].bytes, text);
		assert_string_equal(cases[i].text, text);
	}
}
