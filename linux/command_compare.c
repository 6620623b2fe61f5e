/* SPDX-License-Identifier: MIT */
/* anechoic compare: what differs between results, and what of it is noise. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linux/choosing.h"
#include "linux/commands.h"
#include "linux/reading.h"
#include "report/compare.h"

#define ME "compare"

static const char help[] =
	"Usage: anechoic compare [OPTION...] FILE...\n\n"
	"Compares results row by row with those of the first file: circumstances that differ, "
	"both\n"
	"medians, their ratio with a 95 % interval, and the verdict. Each room of a file is "
	"compared\n"
	"by itself. Files whose names differ only in a last number (quiet-1.ndjson, "
	"quiet-2.ndjson)\n"
	"are repeated runs, and are pooled; given nothing else, they are compared with each "
	"other.\n\n"
	"  --probe P,...     only these probes (or probe:variant)\n"
	"  --room R,...      only these rooms: hosted, firmware, bare\n"
	"  --json            the comparison as JSON\n"
	"  --fail-above N%   exit code 1 if a row is slower than in the first file by more than N "
	"%\n"
	"                    and by more than noise; 2 if there is nothing to judge by\n"
	"  --help            this text\n\n"
	"Exit code: 0 compared; 1 by --fail-above; 2 a file is damaged (what is sound in it is "
	"still\n"
	"compared) or cannot be used, a mistake in the command line, or the output failed.\n\n"
	"Example: anechoic compare --room bare,hosted metal.ndjson linux.ndjson";

struct choice {
	struct choosing what;
	bool json;
	double fail_above; /* 0.05 for "5%"; NAN: never */
};

static bool percent(const char *text, double *part)
{
	char *end;

	*part = strtod(text, &end) / 100;
	return end != text && (!*end || !strcmp(end, "%")) && *part >= 0 && isfinite(*part);
}

/* -1: go on; else the exit code. */
static int options(int argc, char **argv, struct choice *choice)
{
	const char *fail_above = NULL;
	const struct reading_option all[] = { CHOOSING_OPTIONS(&choice->what),
		{ .name = "json", .flag = &choice->json },
		{ .name = "fail-above", .text = &fail_above } };
	int code = reading_options(ME, help, all, sizeof(all) / sizeof(*all), argc, argv);

	if (code < 0 && fail_above && !percent(fail_above, &choice->fail_above))
		return reading_complain(ME, "--fail-above '%s' is no percentage", fail_above);
	return code;
}

/* What --fail-above says of one set. */
static int judge(const struct set *set, const struct cost *cost, double fail_above)
{
	double slower = cost->worst - 1;

	if (!cost->rows)
		return reading_complain(ME,
			"--fail-above: %s/%s has no time or rate in common with the "
			"first file",
			set_name(set), set->room);
	if (!(slower > fail_above))
		return EXIT_OK;
	reading_complain(ME, "%s/%s: a row is slower by %.1f %%, more than %g %%", set_name(set),
		set->room, 100 * slower, 100 * fail_above);
	return EXIT_NO;
}

static int verdict(const struct comparison *c, const struct choice *choice)
{
	int code = EXIT_OK;

	for (size_t s = 1; !isnan(choice->fail_above) && s < c->sets.n; s++) {
		int one = judge(&c->sets.set[s], &c->costs[s], choice->fail_above);
		code = one > code ? one : code;
	}
	return code;
}

static int compare(struct sets sets, const struct choice *choice)
{
	struct comparison c;

	if (sets.n < 2 || sets.n > SETS_MOST) {
		sets_free(&sets);
		return reading_complain(ME, "%s rooms or groups of files to compare",
			sets.n < 2 ? "fewer than two" : "more than 26");
	}
	sets_pool(&sets);
	compare_sets(&c, sets);
	if (choice->json)
		comparison_print_json(&c, stdout);
	else
		comparison_print(&c, stdout);
	int code = reading_finish(ME, stdout, verdict(&c, choice));
	comparison_free(&c);
	return code;
}

/* Repeated runs are pooled; but where nothing else is there, they are what is to be compared. */
static struct sets group(const struct results *files, int n)
{
	struct sets sets = { 0 };

	for (int i = 0; i < n; i++)
		sets_add(&sets, &files[i], false);
	if (sets.n > 1 || n < 2)
		return sets;
	sets_free(&sets);
	sets = (struct sets){ 0 };
	for (int i = 0; i < n; i++)
		sets_add(&sets, &files[i], true);
	return sets;
}

static int compare_files(int n, char **paths, const struct choice *choice)
{
	struct results *files = calloc((size_t)n, sizeof *files);
	bool damaged = false, usable = files;
	int code = EXIT_BAD_INPUT;

	for (int i = 0; files && i < n; i++)
		usable &= reading_open(&files[i], paths[i], &damaged);
	if (usable && !choose(ME, files, (size_t)n, &choice->what))
		code = compare(group(files, n), choice);
	for (int i = 0; files && i < n; i++)
		results_free(&files[i]);
	free(files);
	return code == EXIT_BAD_OUTPUT || !damaged ? code : EXIT_BAD_INPUT;
}

int compare_main(int argc, char **argv)
{
	struct choice choice = { .what = CHOOSE_ALL, .fail_above = NAN };
	int code = options(argc, argv, &choice);

	if (code >= 0)
		return code;
	if (optind == argc)
		return reading_complain(ME, "no file; see `anechoic compare --help`");
	return compare_files(argc - optind, argv + optind, &choice);
}
