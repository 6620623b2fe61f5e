/* SPDX-License-Identifier: MIT */
/* anechoic export: results in the formats of other tools. */
#include <getopt.h>
#include <string.h>

#include "linux/choosing.h"
#include "linux/commands.h"
#include "linux/reading.h"
#include "report/export.h"

#define ME "export"

static const char help[] = "Usage: anechoic export --format FORMAT [OPTION...] FILE\n\n"
			   "Writes a result to standard output in another tool's format.\n\n"
			   "  --format benchstat  Go benchmark text, a line per sample, for\n"
			   "                      `benchstat -ignore room a.txt b.txt`\n"
			   "           gbench     Google Benchmark JSON of one room, for its "
			   "tools/compare.py; times are\n"
			   "                      those of a million operations or bytes, because "
			   "compare.py prints whole\n"
			   "                      nanoseconds\n"
			   "           csv        a table, one record per row\n"
			   "  --probe P,...       only these probes (or probe:variant)\n"
			   "  --room R,...        only these rooms: hosted, firmware, bare\n"
			   "  --help              this text\n\n"
			   "Exit code: 0 written; 2 the file is damaged (what is sound in it is "
			   "still written) or cannot\n"
			   "be used, a mistake in the command line, or the output failed.\n\n"
			   "Example: anechoic export --format benchstat metal.ndjson >metal.txt";

struct choice {
	const char *format;
	struct choosing what;
};

/* -1: go on; else the exit code. */
static int options(int argc, char **argv, struct choice *choice)
{
	const struct reading_option all[] = { { .name = "format", .text = &choice->format },
		CHOOSING_OPTIONS(&choice->what) };

	return reading_options(ME, help, all, sizeof(all) / sizeof(*all), argc, argv);
}

static bool one_room(const struct results *results)
{
	for (size_t i = 1; i < results->nruns; i++)
		if (strcmp(results->runs[i].room, results->runs[0].room))
			return false;
	return true;
}

static int export(const struct results *results, const char *format)
{
	size_t left_out = 0;

	if (!strcmp(format, "csv"))
		export_csv(results, stdout);
	else if (!strcmp(format, "benchstat"))
		export_benchstat(results, stdout);
	else if (!one_room(results))
		return reading_complain(ME,
			"%s has several rooms, whose rows have the same names: "
			"choose one with --room",
			results->name);
	else
		left_out = export_gbench(results, stdout);
	if (left_out)
		fprintf(stderr,
			"anechoic export: %zu rows that are no times above 0 were left out\n",
			left_out);
	return reading_finish(ME, stdout, EXIT_OK);
}

int export_main(int argc, char **argv)
{
	struct choice choice = { .what = CHOOSE_ALL };
	struct results results;
	bool damaged = false;
	int code = options(argc, argv, &choice);

	if (code >= 0)
		return code;
	if (!choice.format || !listed("benchstat,gbench,csv", choice.format))
		return reading_complain(ME, "--format must be one of benchstat, gbench, csv");
	if (argc - optind != 1)
		return reading_complain(ME, "one file, please; see `anechoic export --help`");
	code = EXIT_BAD_INPUT;
	if (reading_open(&results, argv[optind], &damaged) &&
		!choose(ME, &results, 1, &choice.what))
		code = export(&results, choice.format);
	results_free(&results);
	return code == EXIT_OK && damaged ? EXIT_BAD_INPUT : code;
}
