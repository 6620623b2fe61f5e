/* SPDX-License-Identifier: MIT */
/* The options of a command. */
#include "linux/command_line.c"
#include "tests/unit/test.h"

TEST(no_command_has_more_options_than_there_is_place_for)
{
	static const struct command_help command = { .name = "many" };
	struct command_option options[OPTIONS_MOST + 1];
	char *argv[] = { "many", "--last", NULL };
	bool last = false;

	for (unsigned i = 0; i <= OPTIONS_MOST; i++)
		options[i] = (struct command_option){ .name = "other", .flag = &last };
	options[OPTIONS_MOST - 1].name = "last";
	assert_int_equal(-1, parse_options(&command, options, OPTIONS_MOST, 2, argv));
	assert_true(last);
	expect_broken("n <= OPTIONS_MOST",
		parse_options(&command, options, OPTIONS_MOST + 1, 2, argv));
}

static const struct command_help few = { .name = "few" };
static const char *value;
static bool quiet;
static const struct command_option three[] = {
	{ .name = "json", .flag = &quiet },
	{ .name = "out", .letter = 'o', .value = &value },
	QUIET_OPTION(&quiet),
};

/* Parse the words up to NULL. Returns what parse_options does; `quiet` and `value` are as set. */
static int parse(const char *first, const char *second, const char *third)
{
	char *argv[] = { "few", (char *)first, (char *)second, (char *)third, NULL };

	quiet = false;
	value = NULL;
	return parse_options(&few, three, 3, third ? 4 : second ? 3 : 2, argv);
}

TEST(letters_are_options)
{
	assert_int_equal(-1, parse("-q", "-o", "x"));
	assert_true(quiet);
	assert_string_equal("x", value);
	assert_int_equal(-1, parse("file", "-qox", NULL));
	assert_true(quiet);
	assert_string_equal("x", value);
	assert_int_equal(EXIT_FAILED, parse("-z", "file", NULL));
	assert_int_equal(EXIT_FAILED, parse("file", "-o", NULL));
}

/* What getopt_long refuses in these words is named so. */
static void expect_refused(const char *first, const char *second, const char *expected)
{
	static const struct option all[] = { { "json", no_argument, NULL, OPTION_FIRST },
		{ "out", required_argument, NULL, OPTION_FIRST + 1 }, { 0 } };
	char *argv[] = { "few", (char *)first, (char *)second, NULL };
	char err[ERROR_BYTES];
	int option;

	optind = 0;
	while ((option = getopt_long(second ? 3 : 2, argv, ":qo:", all, NULL)) != -1)
		if (option == '?' || option == ':') {
			option_refused("few", all, argv, option, err, sizeof err);
			assert_string_equal(expected, err);
			return;
		}
	fail_msg("%s was not refused", first);
}

TEST(the_word_that_is_wrong_is_named)
{
	expect_refused("-json", "file", "unknown option '-json': did you mean '--json'?");
	expect_refused("-qz", NULL, "unknown option '-qz'; see `anechoic few --help`");
	expect_refused("-z", "file", "unknown option '-z'; see `anechoic few --help`");
	expect_refused("file", "-zq", "unknown option '-zq'; see `anechoic few --help`");
	expect_refused("--jsno", NULL, "unknown option '--jsno': did you mean '--json'?");
	expect_refused("--json=1", NULL, "--json takes no value");
	expect_refused("-o", NULL, "-o needs a value");
	expect_refused("--out", NULL, "--out needs a value");
}
