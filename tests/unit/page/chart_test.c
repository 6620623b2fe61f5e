/* SPDX-License-Identifier: MIT */
/* The drawing of pictures: axes, names that do not touch, text that stays text. */
#include "page/html.h"
#include "page/picture/chart.h"
#include "page/picture/matrix.h"
#include "tests/unit/test.h"

static struct axis axis_over(enum axis_kind kind, double low, double high)
{
	struct axis axis = axis_empty(kind, "axis");

	axis_cover(&axis, NAN);
	axis_cover(&axis, high);
	axis_cover(&axis, low);
	assert_true(axis_ready(&axis));
	return axis;
}

/* The ticks' numbers with a blank before each. */
static void expect_ticks(enum axis_kind kind, double low, double high, const char *expected)
{
	struct axis axis = axis_over(kind, low, high);
	struct tick ticks[AXIS_TICKS];
	char text[AXIS_TICKS * (TICK_TEXT + 1) + 1] = "";
	size_t n = axis_ticks(&axis, 6, ticks);

	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), TICK_TEXT + 2, " %s", ticks[i].text);
	assert_string_equal(text, expected);
}

TEST(ticks_are_round_numbers)
{
	expect_ticks(AXIS_BYTES, 1024, 1 << 30, " 1K 16K 256K 4M 64M 1G");
	expect_ticks(AXIS_COUNT, 1, 1024, " 1 4 16 64 256 1K");
	expect_ticks(AXIS_COUNT, 1000, 1030, " 1K");
	expect_ticks(AXIS_LOG, 0.1, 5000, " 0.1 1 10 100 1000");
	expect_ticks(AXIS_LOG, 3, 40, " 5 10 20");
	expect_ticks(AXIS_LINEAR, 0, 40, " 0 10 20 30 40");
	expect_ticks(AXIS_LINEAR, -1, 1, " -1 -0.5 0 0.5 1");
	expect_ticks(AXIS_TIME, 100, 1e8, " 100 ns 10 us 1 ms 100 ms");
}

TEST(a_count_is_exact)
{
	static const struct axis axis = { .kind = AXIS_COUNT };
	char text[TICK_TEXT];

	axis_text(&axis, 1027, text);
	assert_string_equal(text, "1027");
	axis_text(&axis, 65536, text);
	assert_string_equal(text, "64K");
}

TEST(an_axis_has_what_it_covers)
{
	struct axis axis = axis_over(AXIS_LOG, 1, 1000), none = axis_empty(AXIS_LOG, "none");

	assert_true(axis_part(&axis, 1) > 0 && axis_part(&axis, 1) < 0.05);
	assert_true(fabs(axis_part(&axis, sqrt(1000)) - 0.5) < 0.001);
	assert_true(axis_part(&axis, 0) == 0 && axis_part(&axis, 1e9) == 1);
	axis_cover(&none, 0);
	axis_cover(&none, -1);
	assert_false(axis_ready(&none));
	axis = axis_over(AXIS_LINEAR, 5, 5);
	assert_true(axis.low < 5 && axis.high > 5);
}

static void say(void *to, const char *text, size_t n)
{
	fwrite(text, 1, n, to);
}

struct drawn {
	char *text;
	size_t n;
	FILE *to;
	struct sink svg;
};

static void draw_begin(struct drawn *drawn)
{
	drawn->to = open_memstream(&drawn->text, &drawn->n);
	drawn->svg = (struct sink){ say, drawn->to };
}

/* The heights of all texts of the class, in their order in the picture; returns how many. */
static size_t heights_of(const char *text, const char *class, double *out, size_t most)
{
	char start[32];
	size_t n = 0;

	snprintf(start, sizeof start, "<text class=\"%s\"", class);
	while ((text = strstr(text, start)) && n < most) {
		out[n++] = strtod(strstr(text, " y=\"") + 4, NULL);
		text++;
	}
	return n;
}

/* Twelve curves that end at the same place, and as many marks at one x. */
TEST(names_do_not_touch)
{
	struct chart_point ends[] = { { 1, 1, NAN, NAN, 0, NULL }, { 8, 2, NAN, NAN, 1, NULL } };
	struct chart_series series[12];
	struct mark marks[12];
	struct chart chart = { "title", "", axis_over(AXIS_LINEAR, 0, 10),
		axis_over(AXIS_LINEAR, 0, 10), series, 12, marks, 12 };
	struct drawn drawn;
	double y[32];

	for (unsigned i = 0; i < 12; i++) {
		series[i] = (struct chart_series){ "name", FORM_LINE, i, i, 0, ends, 2 };
		marks[i] = (struct mark){ 5, false, false, COLOURS, "mark" };
	}
	draw_begin(&drawn);
	assert_true(chart_draw(&drawn.svg, &chart, 0) > 200);
	fclose(drawn.to);
	assert_int_equal(heights_of(drawn.text, "n", y, 32), 12);
	for (unsigned i = 1; i < 12; i++)
		assert_true(fabs(y[i] - y[i - 1]) >= 11.9);
	assert_int_equal(heights_of(drawn.text, "halo", y, 32), 8); /* the rows that there are */
	for (unsigned i = 1; i < 8; i++)
		assert_true(fabs(y[i] - y[i - 1]) >= 11.9);
	free(drawn.text);
}

TEST(what_is_not_a_number_is_not_drawn)
{
	struct chart_point points[] = { { 1, 1, NAN, NAN, 7, NULL }, { 2, NAN, NAN, NAN, 8, NULL },
		{ 3, 1, 0.5, 2, 9, NULL } };
	struct chart_series series = { "", FORM_LINE, 0, 0, 3, points, 3 };
	struct chart chart = { "t", "EMULATED", axis_over(AXIS_LINEAR, 0, 10),
		axis_over(AXIS_LOG, 1, 10), &series, 1, NULL, 0 };
	struct drawn drawn;

	draw_begin(&drawn);
	chart_draw(&drawn.svg, &chart, 0);
	fclose(drawn.to);
	assert_non_null(strstr(drawn.text, "data-run=\"3\" data-r=\"7 9\""));
	assert_null(strstr(drawn.text, "nan"));
	assert_non_null(strstr(drawn.text, ">EMULATED</text>"));
	free(drawn.text);
}

TEST(a_matrix_has_each_pair)
{
	struct matrix_cell cells[] = { { 0, 1, 10, 5 }, { 1, 0, 1000, 6 } };
	struct matrix matrix = { "t", "", "row", "column", 2, 2, axis_over(AXIS_LOG, 10, 1000), 0,
		0, cells, 2, NULL };
	struct drawn drawn;

	draw_begin(&drawn);
	matrix_draw(&drawn.svg, &matrix, 0);
	fclose(drawn.to);
	assert_non_null(strstr(drawn.text, "class=\"s s0\" data-run=\"0\" data-r=\"5\""));
	assert_non_null(strstr(drawn.text, "class=\"s s9\" data-run=\"0\" data-r=\"6\""));
	/* Each end of the scale has its value, whatever the paper. */
	const char *low = strstr(drawn.text, ">10</text><rect class=\"s s0\"");
	assert_non_null(low);
	assert_non_null(strstr(low, "<rect class=\"s s9\""));
	assert_non_null(strstr(low, ">1000 axis<"));
	assert_null(strstr(drawn.text, "ring"));
	free(drawn.text);
}

static void expect_ends(double least, double most, const char *low, const char *high)
{
	struct matrix_cell cells[] = { { 0, 1, most, 5 }, { 1, 0, least, 6 } };
	struct matrix matrix = {
		.shade = axis_over(AXIS_LOG, 10, 1000), .cells = cells, .ncells = 2
	};
	char got_low[TICK_TEXT], got_high[MATRIX_END];

	matrix_ends(&matrix, got_low, got_high);
	assert_string_equal(got_low, low);
	assert_string_equal(got_high, high);
}

TEST(shades_of_a_small_difference_say_so)
{
	expect_ends(20, 30, "20", "30 axis");
	expect_ends(20.01, 20.02, "20", "20 axis, 0.05 % apart");
	expect_ends(20, 21.8, "20", "21.8 axis, 9 % apart");
	expect_ends(20, 20, "", "20 axis");
}

typedef void put_fn(struct sink *out, const char *text);

static void expect_text(put_fn *put, const char *text, const char *expected)
{
	char *got;
	size_t n;
	FILE *to = open_memstream(&got, &n);
	struct sink out = { say, to };

	put(&out, text);
	fclose(to);
	assert_string_equal(got, expected);
	free(got);
}

TEST(text_stays_text)
{
	expect_text(html_text, "</script><img onerror='x'>\"&",
		"&lt;/script&gt;&lt;img onerror=&#39;x&#39;&gt;&quot;&amp;");
	expect_text(svg_text, "</text><script>'\"&", "&lt;/text&gt;&lt;script&gt;&#39;&quot;&amp;");
	expect_text(html_json_text, "</script>\"\\&", "\"\\u003c/script\\u003e\\\"\\\\\\u0026\"");
	expect_text(html_text, "f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x98\x80",
		"f\xc3\xbcr \xe2\x82\xac \xf0\x9f\x98\x80");
	/* U+2028, U+202E, a control, a cut character, a long form, a surrogate, a stray byte */
	expect_text(html_json_text,
		"a\xe2\x80\xa8"
		"b\xe2\x80\xae"
		"c\x1b"
		"d\xc3"
		"e\xc0\xbc"
		"f\xed\xa0\x80"
		"g\xff",
		"\"a???b???c?d?e??f???g?\"");
}

/*
 * Numbers stay as the file has them, unless JSON knows no such number: that would break the
 * script's data.
 */
TEST(numbers_stay_as_they_are)
{
	expect_text(html_number, "3.222409551e+09,1", "3.222409551e+09");
	expect_text(html_number, "-4.2e-13}", "-4.2e-13");
	expect_text(html_number, "7]", "7");
	expect_text(html_number, "1</script>,", "null");
	expect_text(html_number, "true,", "null");
	expect_text(html_number, ",", "null");
	expect_text(html_number, "1", "null");
}
