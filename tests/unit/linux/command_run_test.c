/* SPDX-License-Identifier: MIT */
/* The command line of `anechoic run`. */
#include <string.h>

#include "linux/command_run.h"
#include "engine/room.h"
#include "tests/unit/test.h"

static struct run_options parsed;
static char err[256];

static int parse(const char *first, const char *second)
{
	char *argv[] = { "run", (char *)first, (char *)second, NULL };
	return run_options_parse(second ? 3 : first ? 2 : 1, argv, &parsed, err, sizeof(err));
}

static void refused(const char *first, const char *second, const char *because)
{
	assert_int_equal(parse(first, second), -1);
	if (!strstr(err, because))
		fail_msg("'%s': expected a reason with '%s', got '%s'", first, because, err);
}

TEST(test_defaults)
{
	assert_int_equal(parse(NULL, NULL), 0);
	assert_int_equal(parsed.settings.profile, PROFILE_DEFAULT);
	assert_string_equal(parsed.settings.probes, "");
	assert_null(parsed.out);
	assert_false(parsed.list);
	assert_false(parsed.fifo);
}

TEST(test_accepted)
{
	assert_int_equal(parse("--page", "2m"), 0);
	assert_int_equal(parsed.settings.page, PAGE_2M);
	assert_int_equal(parse("--seed=0x10", NULL), 0);
	assert_int_equal(parsed.settings.seed, 16);
	assert_int_equal(parse("--probe", "latency,clock"), 0);
	assert_string_equal(parsed.settings.probes, "latency,clock");
	assert_int_equal(parse("--probes=clock", NULL), 0);
	assert_string_equal(parsed.settings.probes, "clock");
	assert_int_equal(parse("--noise-seconds", "7"), 0);
	assert_int_equal(parsed.settings.noise_seconds, 7);
	assert_int_equal(parse("--noise_seconds=8", NULL), 0); /* as in anechoic.cfg */
	assert_int_equal(parsed.settings.noise_seconds, 8);
	assert_int_equal(parse("--noise", "9"), 0); /* an abbreviation of both spellings */
	assert_int_equal(parsed.settings.noise_seconds, 9);
	assert_int_equal(parse("--scheduler", "fifo"), 0);
	assert_true(parsed.fifo);
	assert_int_equal(parse("--scheduler=fifo", "--scheduler=other"), 0);
	assert_false(parsed.fifo);
	assert_int_equal(parse("--out", "-"), 0);
	assert_string_equal(parsed.out, "-");
	assert_int_equal(parse("-h", NULL), 0);
	assert_true(parsed.help);
	assert_int_equal(parse("--smallest=1k", "--largest=1k"), 0);
	assert_int_equal(parse("--list", NULL), 0);
	assert_true(parsed.list);
}

TEST(test_refused)
{
	refused("--profile", "fast", "must be one of smoke, default, full");
	refused("--profil", "--", "must be one of"); /* an abbreviation is a name */
	refused("--profole", "smoke", "did you mean '--profile'");
	refused("--noise-secunds", "7", "did you mean '--noise-seconds'");
	refused("--noise-a-name-that-is-far-longer-than-any-option-has-been-so-far-or-ever", "7",
		"unknown option");
	refused("--zzzzzzzzzzzz", NULL, "unknown option");
	refused("--seed", NULL, "needs a value");
	refused("--cpu", "first", "cpu");
	refused("--scheduler", "rr", "must be one of fifo, other");
	refused("--probe", "latency,latancy", "'latancy': no such probe");
	refused("smoke", NULL, "options only");
	refused("--smallest=2k", "--largest=1k", "larger than the largest");
}
