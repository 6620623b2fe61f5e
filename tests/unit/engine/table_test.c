/* SPDX-License-Identifier: MIT */
/* Tables stay within 79 columns, break where they must, and print numbers as people write them. */
#include "engine/probe_api.h"
#include "engine/table.c"
#include "lib/text.h"
#include "tests/unit/test.h"

static const struct unit ns = { "ns/load", SCALE_NS }, gbs = { "GB/s", SCALE_GBS };
static const struct unit short_unit = { "ns", SCALE_NS }, long_unit = { "ns/operation", SCALE_NS };
static struct table t;
static char line[TABLE_LINE];

/* With so many parameters as have a name, of 1536, 3072 and 4608. */
static struct row row_of(const char *variant, const struct unit *unit, const char *a, const char *b,
	const char *c)
{
	const char *names[] = { a, b, c };
	struct row row = { .variant = variant, .unit = unit, .page_bytes = PAGE_2M };

	for (unsigned i = 0; i < 3 && names[i]; i++)
		row_param(&row, names[i], 1536 * (i + 1));
	return row;
}

static struct row row_of_cells(const char *variant, const char *param, double value)
{
	struct row row = { .variant = variant, .unit = &short_unit };

	if (param)
		row_param(&row, param, value);
	return row;
}

static void expect_line(const char *expected)
{
	if (strcmp(line, expected))
		fail_msg("expected '%s'\ncame     '%s'", expected, line);
}

/* Begins a table with this row. */
static void begin_with(const struct row *row)
{
	table_begin(&t, "");
	assert_true(table_fit(&t, row));
}

static void expect_head_of(const struct row *row, const char *expected)
{
	begin_with(row);
	table_head(&t, line);
	expect_line(expected);
}

/* The line of a row that is alone in its table. */
static void print_alone(struct result *r)
{
	begin_with(r->row);
	table_row(&t, r, line);
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

	table_begin(&t, "EMULATED");
	assert_true(table_fit(&t, &row));
	table_title(&t, "latency", "what it is", line);
	expect_line("latency: what it is  EMULATED");
	table_head(&t, line);
	expect_line("  variant         bytes  lanes page     ns/load  cycles     p99");
	table_row(&t, &r, line);
	expect_line("  pointer-padded   1.5K   3072   2M        1.39    5.00   +0.8%*");
}

/* A file may hold any name: what does not fit is cut, and nothing is written behind the line. */
TEST(names_longer_than_the_line)
{
	char name[400] = "", room[2 * TABLE_LINE];
	const struct unit long_unit = { name, SCALE_PLAIN };
	struct row row = row_of(name, &long_unit, "bytes", NULL, NULL);
	struct result r = { .row = &row, .median = 1, .p99 = 1 };

	memset(name, 'u', sizeof name);
	name[sizeof name - 1] = 0;
	memset(room, '.', sizeof room);
	table_begin(&t, "");
	table_fit(&t, &row);
	table_head(&t, room);
	assert_true(strlen(room) < TABLE_LINE);
	table_row(&t, &r, room);
	assert_true(strlen(room) < TABLE_LINE);
	for (unsigned i = TABLE_LINE; i < sizeof room; i++)
		assert_int_equal(room[i], '.');
}

TEST(another_unit_is_another_table)
{
	struct row a = row_of("x", &ns, "bytes", NULL, NULL);
	struct row b = row_of("x", &gbs, "bytes", NULL, NULL);

	begin_with(&a);
	assert_false(table_fit(&t, &b));
	assert_true(table_fit(&t, &a));
}

TEST(a_fourth_parameter_is_another_table)
{
	struct row a = row_of("x", &ns, "one", "two", "three");
	struct row b = row_of("y", &ns, "four", NULL, NULL);

	begin_with(&a);
	struct table before = t;

	assert_false(table_fit(&t, &b));
	assert_memory_equal(&before, &t, sizeof t);
}

/*
 * Heads are whole as long as the line holds them; a row that makes it too long begins a new table.
 */
TEST(heads_are_whole)
{
	struct row a = row_of("gaps", &ns, "quantum_ns", "seconds", NULL);
	struct row b = row_of("a-longer-variant", &ns, "another_parameter", NULL, NULL);

	begin_with(&a);
	assert_false(table_fit(&t, &b));
	table_head(&t, line);
	assert_non_null(strstr(line, " quantum_ns seconds "));
	begin_with(&b);
	table_head(&t, line);
	assert_non_null(strstr(line, " another_parameter "));
}

TEST(long_names_have_short_heads)
{
	struct row row = row_of("read", &gbs, "width_bits", "mispredicts_counted", "stride_bytes");

	begin_with(&row);
	table_head(&t, line);
	assert_non_null(strstr(line, "   bits counted stride page "));
}

TEST(titles_are_whole)
{

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

static void expect_cell(const char *what, double of, unsigned from, unsigned width,
	const char *expected)
{
	char cell[TABLE_LINE];
	unsigned blank = width - (unsigned)strlen(expected);

	memset(cell, ' ', width);
	memcpy(cell + blank, expected, width - blank);
	if (strncmp(line + from, cell, width))
		fail_msg("%s %.17g: expected '%.*s' in '%s'", what, of, (int)width, cell, line);
}

TEST(numbers_have_four_digits)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = { { 0, "0.00" }, { 0.5, "0.50" }, { 50.55, "50.55" }, { 99.99, "99.99" },
		{ 100, "100.0" }, { 100.5, "100.5" }, { 500.5, "500.5" }, { 1000, "1000" },
		{ 1000.4, "1000" }, { 9999999, "9999999" }, { 1e7, "1.000e+07" }, { -0.5, "-0.50" },
		{ -250, "-250.0" }, { -1e12, "-1.000e+12" } };
	struct row row = row_of_cells("v", NULL, 0);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct result r = { .row = &row, .median = cases[i].value };

		print_alone(&r);
		expect_cell("median", cases[i].value, 10, 11, cases[i].text);
		r.cycles = cases[i].value;
		print_alone(&r);
		if (r.cycles > 0 && r.cycles < 1e7)
			expect_cell("cycles", cases[i].value, 22, 7, cases[i].text);
		else if (!(r.cycles > 0))
			expect_cell("cycles", cases[i].value, 22, 7, "");
	}
	struct result none = { .row = &row, .median = NAN };

	print_alone(&none);
	expect_line("  v                 -               -");
}

/* In percent of the median; from ten times as much on, how many times as much. */
/* The ticks of three divisions between unfenced time stamps: "1159x" of next to nothing. */
TEST(there_is_no_spread_of_what_is_no_more_than_noise)
{
	struct result r = {
		.min = -51615, .p10 = -40795, .median = 35, .p90 = 40687, .p99 = 40600
	};
	char text[NUMBER_TEXT];

	spread(&r, text);
	assert_string_equal(text, "-");
	r = (struct result){ .min = -5, .p10 = 19.6, .median = 20, .p90 = 20.1, .p99 = 22 };
	spread(&r, text);
	assert_string_equal(text, "+10.0%");
}

TEST(the_spread_is_what_lies_above_the_median)
{
	static const struct {
		double median, p99;
		const char *text;
	} cases[] = { { 100, 100, "+0.0%" }, { 100, 99, "-" }, { 100, NAN, "-" }, { 0, 1, "-" },
		{ -1, 1, "-" }, { 0.5, 1, "+100.0%" }, { 100, 1099, "+999.0%" },
		{ 200, 2199.1, "11x" }, { 100, 1100, "11x" }, { 100, 5100, "51x" },
		{ 1, 999999, "999999x" } };
	struct row row = row_of_cells("v", NULL, 0);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct result r = { .row = &row,
			.median = cases[i].median,
			.p99 = cases[i].p99,
			.disturbed = i % 2 };

		print_alone(&r);
		expect_cell("p99", cases[i].p99, 30, 7, cases[i].text);
		assert_string_equal(i % 2 ? "*" : "", line + 37);
	}
}

TEST(parameters_are_shown_by_their_kind)
{
	static const struct {
		const char *name;
		double value;
		const char *text;
	} cases[] = { { "n", 3, "3" }, { "n", -3, "-3" }, { "n", 2.5, "2.50" },
		{ "n", 999999999999999, "999999999999999" }, { "n", 1e15, "1000000000000000.00" },
		{ "n", -999999999999999, "-999999999999999" },
		{ "n", -1e15, "-1000000000000000.00" }, { "bytes", 4096, "4K" },
		{ "stride_bytes", 64, "64B" }, { "bytes_read", 4096, "4096" }, { "n", NAN, "-" } };
	char cell[TABLE_CELL], expected[TABLE_CELL];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct row row = row_of_cells("v", cases[i].name, cases[i].value);

		table_first(&row, cell);
		snprintf(expected, sizeof expected, "%.*s", TABLE_CELL - 1, cases[i].text);
		assert_string_equal(expected, cell);
	}
	struct row none = row_of_cells("v", NULL, 0);

	table_first(&none, cell);
	assert_string_equal("", cell);
}

TEST(a_point_is_its_first_parameter_and_its_median)
{
	struct row row = row_of_cells("v", "bytes", 28672);
	struct result r = { .row = &row, .median = 2.09, .disturbed = 3 };
	char text[2 * TABLE_CELL];

	row_param(&row, "lanes", 7);
	assert_int_equal(16, table_point(&r, text));
	assert_string_equal("     28K 2.09*  ", text);
	r.disturbed = 0;
	table_point(&r, text);
	assert_string_equal("     28K 2.09   ", text);
}

/* A row without a parameter, or without memory, in a table whose other rows have it. */
TEST(what_a_row_lacks_is_a_dash)
{
	struct row a = row_of_cells("first", "lanes", 4), b = row_of_cells("second", "n", 8);
	struct result ra = { .row = &a, .page_bytes = PAGE_4K, .median = 1, .p99 = 1 };
	struct result rb = { .row = &b, .median = 2, .p99 = 2 };

	a.page_bytes = PAGE_4K;
	expect_head_of(&b, "  variant      n          ns  cycles     p99");
	assert_true(table_fit(&t, &a));
	struct table fit = t;

	assert_true(table_fit(&t, &b) && table_fit(&t, &a));
	assert_memory_equal(&fit, &t, sizeof t);
	table_head(&t, line);
	expect_line("  variant      n  lanes page          ns  cycles     p99");
	table_row(&t, &ra, line);
	expect_line("  first        -      4   4K        1.00           +0.0%");
	table_row(&t, &rb, line);
	expect_line("  second       8      -    -        2.00           +0.0%");
}

TEST(heads_lose_their_unit_only)
{
	struct row row = row_of_cells("v", "kbytes", 1);

	row_param(&row, "a_bytes", 2);
	row_param(&row, "megabytes", 3);
	row_param(&row, "fourth", 4); /* has no place, however alone the row is */
	expect_head_of(&row, "  variant kbytes      a    meg          ns  cycles     p99");
}

TEST(variants_have_18_columns_at_most)
{
	struct row row = row_of_cells("eighteen-letters--", NULL, 0);
	struct result r = { .row = &row };

	print_alone(&r);
	assert_int_equal(0, strncmp(line, "  eighteen-letters--        0.00", 32));
	row.variant = "nineteen-letters---";
	print_alone(&r);
	assert_int_equal(0, strncmp(line, "  nineteen-letters--        0.00", 32));
}

/* The longest name of a second parameter that goes on with a table: its lines are full. */
TEST(a_table_goes_on_up_to_its_last_column)
{
	for (unsigned kind = 0; kind < 4; kind++) {
		char name[80] = "";
		bool fits = true;
		struct table before;

		struct row a = row_of_cells("v", "lanes", 1), b = row_of_cells("v", name, 2);
		struct result r = { .row = &b, .median = 1, .p99 = 2, .disturbed = 1 };

		a.unit = b.unit = kind & 1 ? &long_unit : &short_unit;
		a.page_bytes = kind & 2 ? PAGE_4K : 0;
		while (fits) {
			strcat(name, "n");
			before = t;
			begin_with(&a);
			fits = table_fit(&t, &b);
		}
		name[strlen(name) - 1] = 0;
		t = before;
		table_head(&t, line);
		assert_int_equal(TABLE_WIDEST - 1, strlen(line)); /* and a star */
		table_row(&t, &r, line);
		if (strlen(line) != TABLE_WIDEST)
			fail_msg("kind %u: expected %u columns, came %zu: %s", kind, TABLE_WIDEST,
				strlen(line), line);
	}
}

/* The widest heads are cut, the first of equals first; none to fewer than six columns. */
TEST(a_row_alone_is_cut_to_the_line)
{
	static const struct unit endless = { "a-unit-that-is-longer-than-half-of-the-line",
		SCALE_NS };
	struct row row = row_of_cells("v", "nine_lett", 1), none = row_of_cells("v", NULL, 0);

	row_param(&row, "this_one_has_26_letters_in", 2);
	row_param(&row, "this_one_has_even_more_letters", 3);
	begin_with(&row);
	table_head(&t, line);
	assert_int_equal(TABLE_WIDEST - 1, strlen(line)); /* and a star */
	expect_line("  variant nine_lett this_one_has_2 this_one_has_ev "
		    "         ns  cycles     p99");
	row.unit = none.unit = &endless;
	begin_with(&row);
	table_head(&t, line);
	assert_int_equal(0, strncmp(line, "  variant nine_l this_o this_o a-unit-that", 42));
	expect_head_of(&none,
		"  variant a-unit-that-is-longer-than-half-of-the-line  cycles     p99");
}

TEST(titles_are_cut_to_the_line)
{
	char what[120];

	memset(what, 'w', sizeof what);
	what[sizeof what - 1] = 0;
	table_begin(&t, "EMULATED");
	table_title(&t, "clock", what, line);
	assert_int_equal(TABLE_WIDEST, strlen(line));
	assert_string_equal("w  EMULATED", line + TABLE_WIDEST - 11);
	table_begin(&t, "");
	table_title(&t, "clock", what, line);
	assert_int_equal(TABLE_WIDEST - 2, strlen(line)); /* as if a mark of no letters followed */
}
