/* SPDX-License-Identifier: MIT */
/* anechoic compare: what differs between results, and what of it is noise. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linux/row_filter.h"
#include "linux/commands.h"
#include "report/compare.h"

#define ME "compare"

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic compare [OPTION...] FILE...\n\n"
		 "Compares results row by row with those of the first file: circumstances\n"
		 "that differ, both medians, their ratio with a 95 % interval, and the\n"
		 "verdict. Each room of a file is compared by itself. Files whose names\n"
		 "differ only in a last number (quiet-1.ndjson, quiet-2.ndjson) are\n"
		 "repeated runs, and are pooled; if there is nothing else, they are\n"
		 "compared with each other.",
	.notes = "Exit code: 0 compared; 1 by --fail-above; 2 a file is damaged (the rest\n"
		 "of it is still compared) or cannot be used, a mistake in the command\n"
		 "line, or the output failed.\n\n"
		 "Example: anechoic compare --room bare,hosted metal.ndjson linux.ndjson",
};

struct arguments {
	struct row_filter filter;
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
static int parse(int argc, char **argv, struct arguments *arguments)
{
	const char *fail_above = NULL;
	const struct command_option options[] = { ROW_FILTER_OPTIONS(&arguments->filter),
		{ .name = "json",
			.argument = "",
			.flag = &arguments->json,
			.help = "the comparison as JSON" },
		{ .name = "fail-above",
			.argument = " N%",
			.value = &fail_above,
			.help = "exit code 1 if a row is slower than in the first file by\n"
				"more than N % and by more than noise; 2 if no row can be\n"
				"judged" } };
	int code = parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);

	if (code < 0 && fail_above && !percent(fail_above, &arguments->fail_above))
		return command_error(ME, "--fail-above '%s' is no percentage", fail_above);
	return code;
}

/* What --fail-above says of one set. */
static int judge(const struct set *set, const struct cost *cost, double fail_above)
{
	double slower = cost->worst - 1;

	if (!cost->rows)
		return command_error(ME,
			"--fail-above: %s/%s has no time or rate in common with the "
			"first file",
			set_name(set), set->room);
	if (!(slower > fail_above))
		return EXIT_OK;
	command_error(ME, "%s/%s: a row is slower by %.1f %%, more than %g %%", set_name(set),
		set->room, 100 * slower, 100 * fail_above);
	return EXIT_NO;
}

static int verdict(const struct comparison *c, const struct arguments *arguments)
{
	int code = EXIT_OK;

	for (size_t s = 1; !isnan(arguments->fail_above) && s < c->sets.n; s++) {
		int one = judge(&c->sets.set[s], &c->costs[s], arguments->fail_above);
		code = one > code ? one : code;
	}
	return code;
}

static int compare(struct sets sets, const struct arguments *arguments)
{
	struct comparison c;

	if (sets.n < 2 || sets.n > SETS_MOST) {
		sets_free(&sets);
		return command_error(ME, "%s rooms or groups of files to compare",
			sets.n < 2 ? "fewer than two" : "more than 26");
	}
	sets_pool(&sets);
	compare_sets(&c, sets);
	if (arguments->json)
		comparison_print_json(&c, stdout);
	else
		comparison_print(&c, stdout);
	int code = finish_output(ME, stdout, verdict(&c, arguments));
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

static int compare_files(int n, char **paths, const struct arguments *arguments)
{
	struct results *files = calloc((size_t)n, sizeof *files);
	bool damaged = false, usable = files;
	int code = EXIT_FAILED;

	for (int i = 0; files && i < n; i++)
		usable &= open_result(&files[i], paths[i], &damaged);
	if (usable && !filter_rows(ME, files, (size_t)n, &arguments->filter))
		code = compare(group(files, n), arguments);
	for (int i = 0; files && i < n; i++)
		results_free(&files[i]);
	free(files);
	return damaged ? EXIT_FAILED : code;
}

int compare_main(int argc, char **argv)
{
	struct arguments arguments = { .filter = ROW_FILTER_ALL, .fail_above = NAN };
	int code = parse(argc, argv, &arguments);

	if (code >= 0)
		return code;
	if (optind == argc)
		return command_error(ME, "no file; see `anechoic compare --help`");
	return compare_files(argc - optind, argv + optind, &arguments);
}
