/* SPDX-License-Identifier: MIT */
/* anechoic compare: what differs between results, and what of it is noise. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/commands.h"
#include "host/reading.h"
#include "report/compare.h"

#define ME "compare"

static const char help[] =
	"Usage: anechoic compare [OPTION...] FILE...\n\n"
	"Compares results row by row with those of the first file: circumstances that differ, both\n"
	"medians, their ratio with a 95 % interval, and the verdict. Each room of a file is compared\n"
	"by itself. Files whose names differ only in a last number (quiet-1.ndjson, quiet-2.ndjson)\n"
	"are repeated runs, and are pooled; given nothing else, they are compared with each other.\n\n"
	"  --probe P,...     only these probes\n"
	"  --room R,...      only these rooms: hosted, firmware, bare\n"
	"  --json            the comparison as JSON\n"
	"  --fail-above N%   exit code 1 if a row is slower than in the first file by more than N %\n"
	"                    and by more than noise\n"
	"  --help            this text\n\n"
	"Exit code: 0 compared; 1 by --fail-above; 2 a file is damaged (what is sound in it is still\n"
	"compared) or cannot be used, a mistake in the command line, or the output failed.\n\n"
	"Example: anechoic compare --room bare,hosted metal.ndjson linux.ndjson";

struct choice {
	const char *rooms, *probes;
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
	const struct reading_option all[] = { { .name = "probe", .text = &choice->probes },
		{ .name = "probes", .text = &choice->probes },
		{ .name = "room", .text = &choice->rooms },
		{ .name = "json", .flag = &choice->json },
		{ .name = "fail-above", .text = &fail_above } };
	int code = reading_options(ME, help, all, sizeof(all) / sizeof(*all), argc, argv);

	if (code < 0 && fail_above && !percent(fail_above, &choice->fail_above))
		return reading_complain(ME, "--fail-above '%s' is no percentage", fail_above);
	return code;
}

static int verdict(const struct comparison *c, const struct choice *choice)
{
	int code = EXIT_OK;

	for (size_t s = 1; s < c->sets.n; s++) {
		double slower = c->costs[s].worst - 1;
		if (isnan(choice->fail_above) || !(slower > choice->fail_above))
			continue;
		fprintf(stderr, "anechoic compare: %s/%s: a row is slower by %.1f %%, more than %g %%\n",
			c->sets.set[s].group, c->sets.set[s].room, 100 * slower,
			100 * choice->fail_above);
		code = EXIT_NO;
	}
	return code;
}

static int compare(struct sets sets, const struct choice *choice)
{
	struct comparison c;

	if (sets.n < 2) {
		sets_free(&sets);
		return reading_complain(ME, "fewer than two rooms or groups of files to compare");
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

	for (int i = 0; files && i < n; i++) {
		usable &= reading_open(&files[i], paths[i], &damaged);
		results_choose(&files[i], choice->rooms, choice->probes);
	}
	if (usable)
		code = compare(group(files, n), choice);
	for (int i = 0; files && i < n; i++)
		results_free(&files[i]);
	free(files);
	return code == EXIT_BAD_OUTPUT || !damaged ? code : EXIT_BAD_INPUT;
}

int compare_main(int argc, char **argv)
{
	struct choice choice = { .fail_above = NAN };
	int code = options(argc, argv, &choice);

	if (code >= 0)
		return code;
	if (optind == argc)
		return reading_complain(ME, "no file; see `anechoic compare --help`");
	return compare_files(argc - optind, argv + optind, &choice);
}
