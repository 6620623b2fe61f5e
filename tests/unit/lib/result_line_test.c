/* SPDX-License-Identifier: MIT */
/* Lines, and the numbers and strings read back from one. */
#include "lib/result_line.h"
#include "lib/jsonl_write.h"
#include "lib/math.h"
#include "tests/unit/test.h"

static struct member find(const char *line, const char *key)
{
	struct member m;

	if (!line_find((struct line){ line, strlen(line) }, key, &m))
		fail_msg("no member '%s' in %s", key, line);
	return m;
}

/* Every number that the writer writes comes back to 12 digits. */
TEST(numbers_come_back)
{
	static const double numbers[] = { 0, 1, -1, 0.5, 1.23456789, 64, 4096, 1e9, 3.691e9, 1e-9,
		-2.5e-7, 123456789012., 1e15, 1.7e308, 5e-300 };

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		char text[256];
		struct jsonl l;

		jsonl_begin(&l, text, sizeof text);
		jsonl_number(&l, "x", numbers[i]);
		assert_true(jsonl_end(&l) > 0);
		struct member written = find(text, "x");
		char digits[64];

		snprintf(digits, sizeof digits, "%.*s", (int)written.value_bytes, written.value);
		double want = strtod(digits, NULL), got = member_number(&written);

		if (fabs(got - want) > 1e-12 * fabs(want))
			fail_msg("%s: expected %.17g, got %.17g", digits, want, got);
	}
}

/* A value is rounded to the number that its text says, also between two decimals. */
TEST(rounded_is_what_is_written)
{
	static const double numbers[] = { 5.6249997, 5.6250005, -5.6249997, 0.0449999999999,
		0.09999999999999, 1.0000005, 999999999.4, 2e-12, 7, 0 };
	struct random r;

	random_seed(&r, 1);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned given = sizeof numbers / sizeof *numbers;
		double value = i < given
			? numbers[i]
			: (double)(random_next(&r) >> 11) * pow(10, -6 - (double)(i % 20));
		double rounded = jsonl_rounded(value);
		char text[64];
		struct jsonl l;

		if (value != 0 && (fabs(value) < 1e-12 || value >= 1e9))
			continue;
		jsonl_begin(&l, text, sizeof text);
		jsonl_number(&l, "x", value);
		assert_true(jsonl_end(&l) > 0);
		if (strtod(text + strlen("{\"x\":"), NULL) != rounded ||
			rounded != jsonl_rounded(rounded))
			fail_msg("%.17g: rounded to %.17g, written as %s", value, rounded, text);
	}
	assert_true(jsonl_rounded(1e-300) == 1e-300 &&
		jsonl_rounded(1.5e12 + 0.25) == 1.5e12 + 0.25);
}

TEST(what_is_no_number_is_nan)
{
	struct member only_e = find("{\"x\":7d2}", "x");

	assert_float_equal(member_number(&only_e), 7, 0); /* a letter that is no exponent's */
	static const char *const values[] = { "null", "true", "\"7\"", "[1]", "{}", "-", "-x" };

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		char line[64];

		snprintf(line, sizeof line, "{\"x\":%s}", values[i]);
		struct member m = find(line, "x");

		if (!isnan(member_number(&m)))
			fail_msg("%s: expected NAN, got %g", values[i], member_number(&m));
	}
}

TEST(strings_lose_their_escapes_and_are_cut)
{
	static const char line[] = "{\"a\":\"x\\\"y\\\\z\",\"n\":5,\"e\":\"\"}";
	struct member a = find(line, "a"), n = find(line, "n"), e = find(line, "e");
	char out[8];

	assert_true(member_text(&a, out, sizeof out));
	assert_string_equal(out, "x\"y\\z");
	assert_true(member_text(&a, out, 4));
	assert_string_equal(out, "x\"y");
	assert_true(member_text(&e, out, sizeof out));
	assert_string_equal(out, "");
	assert_false(member_text(&n, out, sizeof out));
	assert_string_equal(out, "");
}

/* The lines of a text, with and without a newline at its end, and of which kind they are. */
TEST(lines_are_told_apart)
{
	static const char text[] = "{\"kind\":\"run\",\"a\":1}\n{\"values\":[1],\"kind\":\"row\"}\n"
				   "\n{\"kind\":\"skip\"}\n{\"kind\":\"summary\"}\n"
				   "{\"kind\":\"other\"}\n{\"kind\":7}\n{\"a\":\"kind\"}\nrow\n"
				   "{\"kind\":\"end\"}";
	static const enum line_kind kinds[] = { LINE_RUN, LINE_ROW, LINE_OTHER, LINE_SKIP,
		LINE_SUMMARY, LINE_OTHER, LINE_OTHER, LINE_OTHER, LINE_OTHER, LINE_END };

	for (size_t newline = 0; newline < 2; newline++) {
		char copy[sizeof text + 1];
		size_t bytes =
			(size_t)snprintf(copy, sizeof copy, "%s%s", text, newline ? "\n" : "");
		const char *at = copy, *end = copy + bytes;
		struct line line;
		size_t n = 0;

		for (; line_next(&at, end, &line); n++)
			assert_int_equal(line_kind(line), kinds[n]);
		assert_int_equal(n, 10);
		assert_ptr_equal(line.text + line.n + newline, end); /* the last one stays */
	}
	assert_int_equal(line_kind((struct line){ NULL, 0 }), LINE_OTHER);
}

/* A line that is cut anywhere is not complete, whether or not a newline follows. */
TEST(a_cut_line_is_not_complete)
{
	static const char whole[] = "{\"kind\":\"row\",\"n\":12,\"o\":{\"a\":[1]},\"s\":\"x\"}";

	for (size_t n = 1; n < sizeof whole; n++)
		for (size_t newline = 0; newline < 2; newline++) {
			char text[sizeof whole + 1];
			const char *at = text, *end = text + n + newline;
			struct member m;

			memcpy(text, whole, n);
			text[n] = '\n';
			while (member_next(&at, end, &m))
				;
			assert_int_equal(at == end, n == sizeof whole - 1);
		}
}

TEST(members_of_a_line)
{
	static const char one[] =
		"{\"s\":\"true\",\"t\":true,\"n\":2.5,\"o\":{\"n\":3},\"l\":null}";
	static const char two[] = "{\"s\":\"true\",\"t\":false,\"o\":[3]}";
	struct line a = { one, sizeof one - 1 }, b = { two, sizeof two - 1 }, none = { NULL, 0 };
	struct member m;
	char text[8];

	assert_true(line_is(a, "s", "true") && line_is(a, "t", "true") && !line_is(b, "t", "true"));
	assert_true(line_number(a, "n") == 2.5 && line_number(line_object(a, "o"), "n") == 3);
	assert_true(isnan(line_number(a, "l")) && isnan(line_number(a, "x")));
	assert_null(line_object(b, "o").text);
	assert_true(line_string(a, "s", text, sizeof text) && !strcmp(text, "true"));
	assert_true(!line_string(a, "t", text, sizeof text) && !*text);
	assert_true(line_same(a, b, "s") && !line_same(a, b, "t") && !line_same(a, b, "n"));
	assert_true(line_same(a, b, "x") && line_same(none, none, "s"));
	assert_false(line_find(none, "s", &m));
	assert_true(isnan(line_number(none, "s")) && !line_is(none, "s", "true"));
}

/* In a pool, one after the other. */
static const char *kept(void *of, const struct member *m)
{
	char **pool = of, *text = *pool;

	member_text(m, text, 16);
	*pool += strlen(text) + 1;
	return text;
}

/* By their names; what is no number is none of them; too many are left out. */
TEST(a_row_has_its_parameters)
{
	static const char text[] =
		"{\"kind\":\"row\",\"params\":{\"pages\":4,\"bytes\":2,\"x\":null,"
		"\"again\":1e3},\"median\":2.50,\"more\":{\"bytes\":7,\"lag\":8}}";
	char words[512], *pool = words, many[1024] = "{\"params\":{\"p\":1";
	struct result_row row;

	result_row_read(&row, (struct line){ text, sizeof text - 1 }, kept, &pool);
	assert_int_equal(row.nparams, 3);
	assert_string_equal(row.params[0].name, "again");
	assert_string_equal(row.params[1].name, "bytes");
	assert_string_equal(row.params[2].name, "pages");
	assert_true(row.params[0].value == 1000 && row.params[2].value == 4);
	assert_true(result_parameter(&row, "pages") == 4 && isnan(result_parameter(&row, "x")));
	assert_true(result_number(&row, "bytes") == 2 && result_number(&row, "more.bytes") == 7);
	assert_true(result_number(&row, "median") == 2.5 && row.median == 2.5);
	assert_true(row.disturbed == 0 && row.outliers == 0 && row.samples == 0 && isnan(row.p90));
	for (int i = 0; i < 40; i++)
		sprintf(many + strlen(many), ",\"p%d\":1", i);
	strcat(many, "}}");
	result_row_read(&row, (struct line){ many, strlen(many) }, kept, &pool);
	assert_int_equal(row.nparams, RESULT_PARAMETERS);
	result_row_read(&row, (struct line){ "{}", 2 }, kept, &pool);
	assert_int_equal(row.nparams, 0);
}
