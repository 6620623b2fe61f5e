/* SPDX-License-Identifier: MIT */
/* Rows that were not measured are told by the reason, each kind once, in lines of 79 columns. */
#include "engine/run_text.h"
#include "tests/unit/test.h"
#include "engine/skipped.h"

static struct skipped all;
static char said[65536];

static void hear(void *to, const char *text, size_t n)
{
	assert_null(memchr(text, 0, n));
	strncat(said, text, n);
}

static const char *printed(void)
{
	*said = 0;
	skipped_print(&all, hear, NULL);
	for (const char *line = said, *end; (end = strchr(line, '\n')); line = end + 1)
		if (end - line > 79)
			fail_msg("expected 79 columns at most, got %d: %.*s", (int)(end - line),
				(int)(end - line), line);
	return said;
}

TEST(by_reason_then_kind)
{
	memset(&all, 0, sizeof all);
	assert_string_equal("", printed());
	skipped_add(&all, "mlp", "batch", "no time");
	skipped_add(&all, "mlp", "chains", "no AVX");
	skipped_add(&all, "mlp", "batch", "no time");
	skipped_add(&all, "mlp", "work", "no time");
	skipped_add(&all, "cores", "", "no time");
	assert_string_equal("\nNot measured:\n"
			    "  4 rows: no time\n"
			    "      mlp: batch(2) work\n"
			    "      cores: all\n"
			    "  1 row: no AVX\n"
			    "      mlp: chains\n",
		printed());
}

TEST(long_lists_are_wrapped)
{
	static char names[200][32];

	memset(&all, 0, sizeof all);
	for (unsigned i = 0; i < 200; i++) {
		snprintf(names[i], sizeof names[i], "variant-%u", i);
		skipped_add(&all, "latency", names[i],
			"a reason of so many words that one line of 79 columns cannot have them, "
			"and wraps");
	}
	printed();
	for (unsigned i = 0; i < 200; i++)
		if (!strstr(said, names[i]))
			fail_msg("expected %s in:\n%s", names[i], said);
}

/* After 5 columns and a space 73 are left: a longer word is left out. */
TEST(a_word_is_as_long_as_a_line)
{
	static const char many[] =
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	char reason[SKIP_REASON];

	for (int n = 70; n <= 78; n++) {
		memset(&all, 0, sizeof all);
		snprintf(reason, sizeof reason, "begins %.*s", n, many);
		skipped_add(&all, "mlp", "chains", reason);
		if (!strstr(printed(), reason + strlen("begins ")) != (n > 73))
			fail_msg("a word of %d columns: expected it %s in:\n%s", n,
				n > 73 ? "not" : "", said);
	}
}

#define WORD_34 "x234567890123456789012345678901234"
#define WORD_35 "y2345678901234567890123456789012345"

TEST(lines_are_filled)
{
	memset(&all, 0, sizeof all);
	skipped_add(&all, "mlp", "chains", WORD_35 " " WORD_34 "  end");
	skipped_add(&all, "mlp", "chains", WORD_35 " " WORD_35 " end");
	assert_string_equal("\nNot measured:\n"
			    "  1 row: " WORD_35 " " WORD_34 "\n"
			    "       end\n"
			    "      mlp: chains\n"
			    "  1 row: " WORD_35 "\n"
			    "      " WORD_35 " end\n"
			    "      mlp: chains\n",
		printed());
}

/* A reason that came when all kinds had their places has no row of its own. */
TEST(a_reason_without_rows_is_not_told)
{
	static char names[SKIP_KINDS][16];

	memset(&all, 0, sizeof all);
	for (unsigned i = 0; i < SKIP_KINDS; i++) {
		snprintf(names[i], sizeof names[i], "v%u", i);
		skipped_add(&all, "mlp", names[i], "no time");
	}
	skipped_add(&all, "cores", "all", "no AVX");
	assert_non_null(strstr(printed(), "  256 rows: no time\n"));
	assert_null(strstr(said, "0 rows"));
	assert_non_null(strstr(said, "  1 row for other reasons\n"));
	all.more = UINT32_MAX;
	assert_non_null(strstr(printed(), "  4294967295 rows for other reasons\n"));
}

/* Whatever there is no place for is counted. */
TEST(more_than_there_is_place_for)
{
	static char names[1000][32];
	char reason[200];
	unsigned rows = 0;

	memset(&all, 0, sizeof all);
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(names[i], sizeof names[i], "variant-%u", i);
		snprintf(reason, sizeof reason, "reason %u %0150d", i % 50, 0);
		skipped_add(&all, "latency", names[i], reason);
	}
	for (unsigned i = 0; i < all.nreasons; i++)
		rows += all.reasons[i].rows;
	assert_int_equal(1000, rows + all.more);
	assert_int_equal(SKIP_REASONS, all.nreasons);
	assert_int_equal(SKIP_KINDS, all.nkinds);
	memset(all.reasons[0].text, 'x', 40);
	all.reasons[0].text[40] = 0;
	*said = 0;
	skipped_print(&all, hear, NULL);
	snprintf(reason, sizeof reason, "  %u rows for other reasons\n", all.more);
	assert_non_null(strstr(said, reason));
}
