/* SPDX-License-Identifier: MIT */
/* The lines of a run at each level of thinning. */
#include "lib/thin.h"
#include "linux/report/reading/serial_log.h"
#include "tests/unit/result_fixture.h"
#include "tests/unit/test.h"

#define MOST 16384

static char out[MOST];

#define RUN                                                                                        \
	"{\"kind\":\"run\",\"room\":\"bare\",\"seq\":0,\"compiler\":\"gcc\",\"tsc_hz\":"           \
	"2000000000,"                                                                              \
	"\"levels\":{\"l1\":1}}\n"
#define SKIP "{\"kind\":\"skip\",\"seq\":7,\"probe\":\"tlb\",\"reason\":\"no time\"}\n"
#define END                                                                                        \
	"{\"kind\":\"end\",\"seq\":9,\"rows\":1,\"skips\":1,\"summaries\":2,\"lines\":6,"          \
	"\"status\":\"complete\",\"said\":[\"it\"],\"crc_all\":\"00000000\"}\n"
#define ROW                                                                                        \
	"{\"kind\":\"row\",\"seq\":3,\"probe\":\"p\",\"variant\":\"v\",\"median\":1.23456,"        \
	"\"min\":1,\"mean\":1,\"outliers\":0,\"ops\":5,\"overhead_ticks\":3,\"undisturbed\":1,"    \
	"\"at_seconds\":2.5,\"counts\":{\"cycles\":1},\"p10\":1,\"p90\":2,\"p99\":3,\"max\":4,"    \
	"\"values\":[1,2],\"flags\":[0],\"more\":{\"x\":1},\"crc\":\"12345678\"}\n"
#define SUMMARY                                                                                    \
	"{\"kind\":\"summary\",\"seq\":5,\"name\":\"n\",\"value\":1.2345678,\"rests_on\":\"x\"}\n" \
	"{\"kind\":\"summary\",\"seq\":6,\"name\":\"o\",\"value\":null,\"reason\":\"no level\"}\n"

static const char whole[] = RUN ROW SUMMARY SKIP END;

static size_t thinned(const char *text, unsigned level)
{
	size_t n = thin(text, strlen(text), level, "to fit", out, sizeof out - 1);

	out[n] = 0;
	return n;
}

/* The line of that number, from 0, without its checksum; "" where there is none. */
static const char *line(unsigned number)
{
	static char text[1024];
	const char *at = out;

	while (number-- && at)
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
	*text = 0;
	if (at && strstr(at, ",\"crc\":"))
		snprintf(text, sizeof text, "%.*s", (int)(strstr(at, ",\"crc\":") - at), at);
	return text;
}

static void expect_row(unsigned level, const char *members)
{
	char expected[1024];

	assert_true(thinned(whole, level) > 0);
	snprintf(expected, sizeof expected,
		"{\"kind\":\"row\",\"seq\":1,\"probe\":\"p\",\"variant\":\"v\",%s", members);
	assert_string_equal(expected, line(1));
}

#define LITTLE                                                                                     \
	"\"min\":1,\"mean\":1,\"outliers\":0,\"ops\":5,\"overhead_ticks\":3,\"undisturbed\":1,"    \
	"\"at_seconds\":2.5,\"counts\":{\"cycles\":1},"
#define QUANTILES "\"p10\":1,\"p90\":2,\"p99\":3,\"max\":4"

TEST(a_row_at_each_level)
{
	expect_row(0, "\"median\":1.23456," LITTLE QUANTILES ",\"more\":{\"x\":1}");
	expect_row(1, "\"median\":1.235," QUANTILES ",\"more\":{\"x\":1}");
	expect_row(2, "\"median\":1.235," QUANTILES ",\"more\":{\"x\":1}");
	expect_row(3, "\"median\":1.235," QUANTILES);
	expect_row(4, "\"median\":1.235");
	expect_row(5, "\"median\":1.235");
	expect_row(THIN_MOST - 1, "\"median\":1.235");
}

TEST(other_lines_at_each_level)
{
	for (unsigned level = 0; level <= THIN_CARD; level++) {
		unsigned at = level < THIN_MOST;

		assert_true(thinned(whole, level) > 0);
		assert_string_equal(line(0),
			level < 2 ? "{\"kind\":\"run\",\"room\":\"bare\",\"seq\":0,\"compiler\":"
				    "\"gcc\",\"tsc_hz\":2000000000,\"levels\":{\"l1\":1}"
				: level < THIN_CARD
				? "{\"kind\":\"run\",\"room\":\"bare\",\"seq\":0,\"compiler\":"
				  "\"gcc\",\"tsc_hz\":2000000000"
				: "{\"kind\":\"run\",\"room\":\"bare\",\"seq\":0,\"tsc_hz\":"
				  "2000000000");
		char summary[128];

		snprintf(summary, sizeof summary,
			"{\"kind\":\"summary\",\"seq\":%u,\"name\":\"n\",\"value\":1.2345678%s",
			1 + at, level < THIN_CARD ? ",\"rests_on\":\"x\"" : "");
		assert_string_equal(summary, line(1 + at));
		assert_int_equal(level < THIN_CARD, strstr(out, "no level") != NULL);
		assert_int_equal(level < 1, strstr(out, "no time") != NULL);
	}
}

static void expect_begin(const char *came, const char *expected)
{
	if (strncmp(came, expected, strlen(expected)))
		fail_msg("expected '%s', came '%s'", expected, came);
}

/* The last line counts what was kept, and says what was not. */
TEST(the_end_says_what_is_left)
{
	assert_true(thinned(whole, 0) > 0);
	expect_begin(line(5),
		"{\"kind\":\"end\",\"seq\":5,\"rows\":1,\"skips\":1,\"summaries\":2,\"lines\":5,"
		"\"status\":\"complete\",\"said\":[\"it\"],\"thinned\":{\"values\":true,\"short\":"
		"false,\"said\":false,\"more\":false,\"quantiles\":false,\"rows\":0,\"skips\":0,"
		"\"summaries\":0,\"why\":\"to fit\"},\"crc_all\":\"");
	assert_true(thinned(whole, 4) > 0);
	expect_begin(line(4),
		"{\"kind\":\"end\",\"seq\":4,\"rows\":1,\"skips\":0,\"summaries\":2,\"lines\":4,"
		"\"status\":\"complete\","
		"\"thinned\":{\"values\":true,\"short\":true,\"said\":true,\"more\":true,"
		"\"quantiles\":true,\"rows\":0,\"skips\":1,\"summaries\":0,\"why\":\"to fit\"}");
	assert_true(thinned(whole, THIN_CARD) > 0);
	expect_begin(line(2),
		"{\"kind\":\"end\",\"seq\":2,\"rows\":0,\"skips\":0,\"summaries\":1,\"lines\":2,"
		"\"status\":\"shortened\","
		"\"why\":\"1 rows left out to fit\",\"thinned\":{\"values\":true,\"short\":true,"
		"\"said\":true,\"more\":true,\"quantiles\":true,\"rows\":1,\"skips\":1,"
		"\"summaries\":1,\"why\":\"to fit\"}");
}

/* From which level on the last line says what is missing. */
TEST(each_level_is_named)
{
	static const char *const names[] = { "short", "said", "more", "quantiles" };
	char expected[32];

	for (unsigned level = 0; level <= THIN_CARD; level++) {
		assert_true(thinned(whole, level) > 0);
		for (unsigned i = 0; i < 4; i++) {
			snprintf(expected, sizeof expected, "\"%s\":%s", names[i],
				level > i ? "true" : "false");
			if (!strstr(out, expected))
				fail_msg("level %u lacks %s: %s", level, expected, out);
		}
	}
}

/* Four digits, and no more than there were. */
TEST(numbers_of_a_short_row)
{
	static const char *const numbers[][2] = { { "12345", "12345" }, { "123456", "1.235e+05" },
		{ "10000.0", "1.000e+04" }, { "9999.99", "10000" }, { "1234.56", "1235" },
		{ "1000.00", "1000" }, { "999.999", "1000.0" }, { "123.456", "123.5" },
		{ "100.000", "100.0" }, { "99.9999", "100.00" }, { "12.3456", "12.35" },
		{ "10.0000", "10.00" }, { "9.99949", "9.999" }, { "1.00000", "1.000" },
		{ "0.99999", "1.000e+00" }, { "0.012346", "1.235e-02" }, { "1.2346", "1.235" },
		{ "1.234", "1.234" }, { "-12.3456", "-12.35" }, { "\"a text\"", "\"a text\"" } };
	char text[1024], expected[256];

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		snprintf(text, sizeof text, RUN "{\"kind\":\"row\",\"x\":%s}\n" END, numbers[i][0]);
		snprintf(expected, sizeof expected, "{\"kind\":\"row\",\"x\":%s", numbers[i][1]);
		assert_true(thinned(text, 1) > 0);
		assert_string_equal(expected, line(1));
	}
}

/* Sweeps begin where the probe or the variant is another; x is the row's number in the run. */
static void add_rows(char *text, const char *probe, const char *variant, unsigned n)
{
	static unsigned x;

	x = *text ? x : 0;
	if (!*text)
		strcpy(text, RUN);
	for (unsigned i = 0; i < n; i++, x++)
		sprintf(text + strlen(text),
			"{\"kind\":\"row\",\"probe\":\"%s\",\"variant\":\"%s\",\"x\":%u%s}\n",
			probe, variant, x, x == 7 ? ",\"level\":\"l1\"" : "");
}

/* `kept`: a letter of a to z for each row, by its number. */
static void expect_kept(const char *text, unsigned level, const char *kept)
{
	char came[64] = "";
	unsigned n = 0;

	assert_true(thinned(text, level) > 0);
	for (const char *at = out; (at = strstr(at, "\"x\":")); at += 4)
		came[n++] = (char)('a' + atoi(at + 4));
	if (strcmp(came, kept))
		fail_msg("level %u: expected rows %s, came %s", level, kept, came);
}

TEST(rows_of_sweeps)
{
	static char text[MOST];

	*text = 0;
	add_rows(text, "p", "v", 10);
	add_rows(text, "p", "w", 5);
	add_rows(text, "q", "w", 4);
	add_rows(text, "q", "ww", 3);
	strcat(text, END);
	expect_kept(text, 4, "abcdefghijklmnopqrstuv");
	expect_kept(text, 5,
		"aceghi"
		"kmo"
		"pr"
		"tv");
	expect_kept(text, 6,
		"aehi"
		"ko"
		"p"
		"t");
	expect_kept(text, 7,
		"ahi"
		"k"
		"p"
		"t");
	expect_kept(text, 8,
		"ah"
		"k"
		"p"
		"t");
	expect_kept(text, THIN_MOST - 1,
		"ah"
		"k"
		"p"
		"t");
	expect_kept(text, THIN_MOST, "h");
	expect_kept(text, THIN_CARD, "");
}

/* A line fits into its own length and a NUL, however long the reason is. */
TEST(it_fits_or_is_refused)
{
	char why[301] = "";
	size_t n = thinned(whole, 0);

	for (size_t bytes = n - 60; bytes <= n + 1; bytes++) {
		char *small = test_malloc(bytes);

		assert_int_equal(bytes <= n ? 0 : n,
			thin(whole, strlen(whole), 0, "to fit", small, bytes));
		test_free(small);
	}
	for (unsigned i = 0; i < 300; i++) {
		why[i] = 'w';
		memset(out, 0, sizeof out);
		n = thin(whole, strlen(whole), THIN_CARD, why, out, sizeof out);
		assert_true(n > 0);
		assert_int_equal(n, strlen(out));
	}
}

static void expect_refused(const char *text)
{
	if (thinned(text, 0))
		fail_msg("no run, and thinned: %s", text);
}

/* One run line first, one end line last, whole lines between. */
TEST(what_is_no_run_is_refused)
{
	assert_true(thinned(RUN END, 0) > 0);
	expect_refused("");
	expect_refused(RUN);
	expect_refused(END);
	expect_refused(ROW END);
	expect_refused(RUN RUN END);
	expect_refused(RUN END END);
	expect_refused(RUN END ROW);
	expect_refused(RUN "\n" END);
	expect_refused(RUN "{\"kind\":\"row\"\n" END);
	expect_refused(RUN "{\"x\":1}\n" END);
}

/* A run that was not measured to its end keeps its status, whatever is left out. */
TEST(what_was_not_complete_stays_so)
{
	assert_true(thinned(RUN ROW "{\"kind\":\"end\",\"status\":\"aborted\"}\n", THIN_CARD) > 0);
	assert_non_null(strstr(line(1), "\"status\":\"aborted\",\"thinned\""));
	assert_true(thinned(RUN "{\"kind\":\"other\",\"seq\":4,\"values\":[1]}\n" END, 1) > 0);
	assert_string_equal("{\"kind\":\"other\",\"seq\":1", line(1));
}

/* A thinned result against the one that it was made from. */

#define WHY "to fit into EFI variables"

/* A run with a sweep, whose samples are all `value`. To be freed. */
static char *whole_stored_copy(double value)
{
	const double values[] = { value, value };
	struct fixture f;
	char members[64];

	fixture_open(&f);
	fixture_run(&f, "bare", "");
	for (unsigned i = 0; i < 40; i++) {
		snprintf(members, sizeof members, PARAMS("\"bytes\":%u") "%s", 1024U << (i % 20),
			i % 8 ? "" : ",\"level\":\"l1\"");
		fixture_row(&f, i < 20 ? "a" : "b", members, "ns/load", values, 2);
	}
	fixture_line(&f, "skip", ",\"probe\":\"tlb\",\"reason\":\"no time\"");
	fixture_end(&f);
	fclose(f.file);
	return f.text;
}

static size_t thinned_stored_copy(const char *text, unsigned level, char *out, size_t bytes)
{
	size_t n = thin(text, strlen(text), level, WHY, out, bytes);

	assert_true(n > 0 && n < bytes);
	out[n] = 0;
	return n;
}

TEST(test_every_level)
{
	char *text = whole_stored_copy(1.23456789), *other = whole_stored_copy(1.24456789),
	     small[32768];

	for (unsigned level = 0; level <= THIN_CARD; level++) {
		size_t n = thinned_stored_copy(text, level, small, sizeof small);
		assert_null(stored_copy_wrong(text, strlen(text), small, n));
		/* the same rows with other medians; the card has no row, and shows no difference */
		const char *wrong = stored_copy_wrong(other, strlen(other), small, n);
		if (level == THIN_CARD)
			assert_null(wrong);
		else
			assert_string_equal(wrong, "no thinning of the log's run gives it");
	}
	free(text);
	free(other);
}

TEST(test_not_thinned)
{
	char *text = whole_stored_copy(1), *other = whole_stored_copy(2);

	assert_null(stored_copy_wrong(text, strlen(text), text, strlen(text)));
	assert_string_equal(stored_copy_wrong(text, strlen(text), other, strlen(other)),
		"it is not thinned, and differs");
	assert_non_null(stored_copy_wrong(text, strlen(text), "", 0));
	assert_non_null(stored_copy_wrong(text, strlen(text), "x\n", 2));
	free(text);
	free(other);
}

/* Whichever byte was changed, it is not a copy. */
TEST(test_any_byte)
{
	char *text = whole_stored_copy(1.5), small[32768];
	size_t n = thinned_stored_copy(text, 4, small, sizeof small);

	for (size_t at = 0; at < n; at += 7) {
		small[at] ^= 1;
		if (!stored_copy_wrong(text, strlen(text), small, n))
			fail_msg("byte %zu was changed, and nothing was said", at);
		small[at] ^= 1;
	}
	free(text);
}
