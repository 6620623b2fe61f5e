/* SPDX-License-Identifier: MIT */
/* The command line of `anechoic run`. */
#include <string.h>

#include "linux/run_options.c"
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
	assert_false(parsed.quiet || parsed.verbose);
	assert_int_equal(parse("-q", NULL), 0);
	assert_true(parsed.quiet && !parsed.verbose);
	assert_int_equal(parsed.settings.text, TEXT_NONE);
	assert_int_equal(parse("--quiet", "-v"), 0); /* the last one counts */
	assert_int_equal(parsed.settings.text, TEXT_ALL);
	assert_int_equal(parse("--source", "L"), 0);
	assert_int_equal(parsed.settings.text, TEXT_ALL);
	assert_int_equal(parse(NULL, NULL), 0);
	assert_int_equal(parsed.settings.text, TEXT_CARD);
	assert_int_equal(parse("-o", "x.ndjson"), 0);
	assert_string_equal(parsed.out, "x.ndjson");
	assert_int_equal(parse("--help-all", NULL), 0);
	assert_true(parsed.help && parsed.help_all);
}

/* The card alone, unless more or nothing is asked for; chosen rows are asked for. */
TEST(what_is_printed)
{
	static const struct {
		const char *first, *second;
		enum run_text text;
	} runs[] = { { NULL, NULL, TEXT_CARD }, { "--quick", NULL, TEXT_CARD },
		{ "-v", NULL, TEXT_ALL }, { "--verbose", NULL, TEXT_ALL },
		{ "-q", NULL, TEXT_NONE }, { "--quiet", "-v", TEXT_ALL },
		{ "--probe", "clock", TEXT_ALL }, { "--source=L", NULL, TEXT_ALL },
		{ "--code=90", NULL, TEXT_ALL }, { "--probe=clock", "-q", TEXT_NONE } };

	for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
		assert_int_equal(parse(runs[i].first, runs[i].second), 0);
		assert_int_equal(parsed.settings.text, runs[i].text);
	}
}

TEST(test_refused)
{
	refused("--profile", "fast", "must be one of smoke, default, full");
	refused("--profil", "--", "must be one of"); /* an abbreviation is a name */
	refused("--profole", "smoke", "did you mean '--profile'");
	refused("--noise-secunds", "7", "did you mean '--noise-seconds'");
	refused("--noise-a-name-that-is-far-longer-than-any-option-has-been-so-far-or-ever", "7",
		"unknown option");
	refused("--zzzzzzzzzzzz", NULL,
		"unknown option '--zzzzzzzzzzzz'; see `anechoic run --help`");
	refused("--output", "x", "did you mean '--out'");
	refused("--cpus=3", NULL, "did you mean '--cpu'");
	refused("--seed", NULL, "needs a value");
	refused("--cpu", "first", "cpu");
	refused("--scheduler", "rr", "must be one of fifo, other");
	refused("--probe", "latency,latancy", "'latancy': no such probe: did you mean 'latency'?");
	refused("--probe", "brach:penalty", "did you mean 'branch'?");
	refused("--probe", "nonsense", "no such probe; there are clock, latency");
	refused("smoke", NULL, "options only; see `anechoic run --help`");
	refused("mlp", NULL, "options only: did you mean --probe mlp?");
	refused("new.ndjson", NULL, "options only: did you mean --out new.ndjson?");
	refused("-x", NULL, "unknown option '-x'");
	refused("-qx", NULL, "unknown option '-qx'");
	refused("-list", NULL, "unknown option '-list': did you mean '--list'?");
	refused("--force=yes", NULL, "--force takes no value");
	refused("--smallest=2k", "--largest=1k", "larger than the largest");
}

/* Each has two names, of which the last has its place before the own options and their end. */
TEST(no_more_settings_than_there_is_place_for)
{
	enum { FIT = (MOST_OPTIONS - OWN_OPTIONS - 1) / 2 };
	struct setting settings[FIT + 1];
	struct option options[MOST_OPTIONS];
	char dashed[MOST_OPTIONS][NAME_BYTES];

	for (unsigned i = 0; i <= FIT; i++)
		settings[i] = (struct setting){ .name = "two_names" };
	fill_options(settings, FIT, options, dashed);
	assert_string_equal("two_names", options[2 * FIT - 1].name);
	assert_null(options[2 * FIT + OWN_OPTIONS].name);
	expect_broken("n + 2 + OWN_OPTIONS < MOST_OPTIONS",
		fill_options(settings, FIT + 1, options, dashed));
}
