/* SPDX-License-Identifier: MIT */
/* anechoic export: results in the formats of other tools. */
#include <getopt.h>
#include <string.h>

#include "lib/machine_id.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/report/export/export.h"

#define ME "export"

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic export --format FORMAT [OPTION...] FILE\n\n"
		 "Writes a result to standard output in another tool's format.",
	.notes = "Exit code: 0 written; 2 the file is damaged (the rest of it is still\n"
		 "written) or cannot be used, a mistake in the command line, or the output\n"
		 "failed.\n\n"
		 "Example: anechoic export --format benchstat metal.ndjson >metal.txt",
};

static const char format_help[] = "the other tool's format:"
#define EXPORT_FORMAT(name, runs, left_out, help) "\n" #name ": " help
#include "linux/report/export/export_formats.inc"
#undef EXPORT_FORMAT
	;

static const char format_names[] =
#define EXPORT_FORMAT(name, runs, left_out, help) " " #name
#include "linux/report/export/export_formats.inc"
#undef EXPORT_FORMAT
	;

struct export_arguments {
	const char *format;
	struct row_filter filter;
};

/* The format of that name; NULL: there is none. */
static const struct export_format *format_named(const char *name)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* Returns -1 to go on; else the exit code. */
static int parse_export(int argc, char **argv, struct export_arguments *arguments)
{
	const struct command_option options[] = { { .name = "format",
							  .argument = " FORMAT",
							  .value = &arguments->format,
							  .help = format_help },
		ROW_FILTER_OPTIONS(&arguments->filter) };

	return parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);
}

static bool one_room(const struct results *results)
{
	for (size_t i = 1; i < results->nruns; i++)
		if (strcmp(results->runs[i].room, results->runs[0].room))
			return false;
	return true;
}

static bool one_machine(const struct results *results)
{
	for (size_t i = 1; i < results->nruns; i++)
		if (!machine_same_cpu(results->runs[i].head_line, results->runs[0].head_line))
			return false;
	return true;
}

static int export(const struct results *results, const struct export_format *format)
{
	if (format->runs & ONE_ROOM && !one_room(results))
		return command_error(ME,
			"%s has several rooms, whose rows have the same names: "
			"choose one with --room",
			results->name);
	if (format->runs & ONE_MACHINE && !one_machine(results))
		return command_error(ME,
			"%s has runs of several machines, whose values have the same names",
			results->name);
	size_t left_out = format->write(results, stdout);
	if (left_out)
		fprintf(stderr, "anechoic export: %zu %s\n", left_out, format->left_out);
	return finish_output(ME, stdout, EXIT_OK);
}

static int export_main(int argc, char **argv)
{
	struct export_arguments arguments = { .filter = ROW_FILTER_ALL };
	const struct export_format *format;
	struct results results;
	bool damaged = false;
	int code = parse_export(argc, argv, &arguments);

	if (code >= 0)
		return code;
	format = arguments.format ? format_named(arguments.format) : NULL;
	if (!format)
		return command_error(ME, "--format must be one of:%s", format_names);
	if (optind == argc)
		return no_file(ME);
	if (argc - optind != 1)
		return command_error(ME, "give one file; see `anechoic export --help`");
	code = EXIT_FAILED;
	if (open_result(&results, argv[optind], &damaged) &&
		!filter_rows(ME, &results, 1, &arguments.filter))
		code = export(&results, format);
	results_free(&results);
	return code == EXIT_OK && damaged ? EXIT_FAILED : code;
}

const struct command command_export = { "export", export_main,
	"writes a result for benchstat, lstopo, LAVA, ... or as CSV" };
