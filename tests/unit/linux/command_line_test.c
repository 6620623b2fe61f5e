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
