/* SPDX-License-Identifier: MIT */
/* anechoic compare: what differs between results, and what of it is noise. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linux/command_fleet.h"
#include "linux/row_filter.h"
#include "linux/commands.h"
#include "report/compare/gate.h"

#define ME "compare"

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic compare [OPTION...] FILE...\n"
		 "       anechoic compare --fleet [OPTION...] FOLDER|FILE...\n\n"
		 "Compares results with those of the first file: what differs in one\n"
		 "sentence, then the cards, the noise and one line for each probe. Each\n"
		 "room of a file is compared by itself. Files whose names differ only in a\n"
		 "last number (quiet-1.ndjson, quiet-2.ndjson) are repeated runs: how far\n"
		 "they lie apart says what chance does. Three a side tell much more than\n"
		 "one. If there is nothing else, they are compared with each other.",
	.notes = "Exit code: 0 compared; 1 by --fail-above, --max-gap or --fleet; 2 --fail-above\n"
		 "or --max-gap cannot judge, a file is damaged (the rest of it is still\n"
		 "compared) or cannot be used, a mistake in the command line, or the output\n"
		 "failed.\n\n"
		 "Example: anechoic compare --room bare,hosted metal.ndjson linux.ndjson",
};

struct arguments {
	struct row_filter filter;
	bool json, all, fleet;
	double margin;     /* 0.02 for "2%" */
	double fail_above; /* 0.05 for "5%"; NAN: never */
	double max_gap_ns; /* NAN: any */
};

static bool percent(const char *text, double *part)
{
	char *end;

	*part = strtod(text, &end) / 100;
	return end != text && (!*end || !strcmp(end, "%")) && *part >= 0 && isfinite(*part);
}

/* "20us", "1ms", "500ns". */
static bool duration(const char *text, double *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].unit)) {
			*ns = value * units[i].ns;
			return *ns >= 0 && isfinite(*ns);
		}
	return false;
}

/* -1: go on; else the exit code. */
static int parse(int argc, char **argv, struct arguments *arguments)
{
	const char *fail_above = NULL, *margin = NULL, *max_gap = NULL;
	const struct command_option options[] = { ROW_FILTER_OPTIONS(&arguments->filter),
		{ .name = "json",
			.argument = "",
			.flag = &arguments->json,
			.help = "the comparison as JSON" },
		{ .name = "all",
			.argument = "",
			.flag = &arguments->all,
			.help = "then every circumstance, every row and what disturbed it" },
		{ .name = "margin",
			.argument = " N%",
			.value = &margin,
			.help = "a row is the same if it differs by less than N % (default 2)" },
		{ .name = "fleet",
			.argument = "",
			.flag = &arguments->fleet,
			.help = "many machines: by their summary values, which lie outside of\n"
				"their group (one room, model and firmware). Exit code 1:\n"
				"there are some" },
		{ .name = "fail-above",
			.argument = " N%",
			.value = &fail_above,
			.help = "exit code 1 if a row is slower than in the first file, by\n"
				"more than N %; 2 if that cannot be judged, and why" },
		{ .name = "max-gap",
			.argument = " T",
			.value = &max_gap,
			.help = "exit code 1 if another file has a gap longer than T (20us,\n"
				"1ms); 2 if it has no scan of probe noise" } };
	int code = parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);

	if (code < 0 && fail_above && !percent(fail_above, &arguments->fail_above))
		return command_error(ME, "--fail-above '%s' is no percentage", fail_above);
	if (code < 0 && max_gap && !duration(max_gap, &arguments->max_gap_ns))
		return command_error(ME, "--max-gap '%s' is no time, as 20us or 1ms", max_gap);
	if (code < 0 && margin && !(percent(margin, &arguments->margin) && arguments->margin > 0))
		return command_error(ME, "--margin '%s' is no percentage above 0", margin);
	if (code < 0 && arguments->fleet && (fail_above || max_gap || *arguments->filter.probes))
		return command_error(ME,
			"--fleet compares summary values: no --fail-above, "
			"--max-gap or --probe");
	return code;
}

/* What --fail-above says of one set. */
static int judge_rows(const struct comparison *c, size_t s, double fail_above)
{
	static const int codes[] = { [GATE_NONE_SLOWER] = EXIT_OK,
		[GATE_SLOWER] = EXIT_NO,
		[GATE_CANNOT_JUDGE] = EXIT_FAILED };
	char *why;
	enum gate gate = gate_judge(c, s, fail_above, &why);

	if (gate != GATE_NONE_SLOWER)
		command_error(ME, "--fail-above: %s", why ? why : "out of memory");
	free(why);
	return codes[gate];
}

/* What --max-gap says of one set. */
static int judge_gaps(const struct comparison *c, size_t s, double max_gap_ns)
{
	const struct set *set = &c->sets.set[s];
	double longest = c->disturbances[s].longest_ns;

	if (isnan(longest))
		return command_error(ME, "--max-gap: %s/%s has no scan of probe noise",
			set_name(set), set->room);
	if (longest <= max_gap_ns)
		return EXIT_OK;
	command_error(ME, "%s/%s: the longest gap in %.3g s is %.1f us, more than %g us",
		set_name(set), set->room, c->disturbances[s].scanned_s, longest / 1e3,
		max_gap_ns / 1e3);
	return EXIT_NO;
}

/* A set that is surely worse counts more than one that cannot be judged. */
static int verdict(const struct comparison *c, const struct arguments *arguments)
{
	bool worse = false, cannot = false;

	for (size_t s = 1; s < c->sets.n; s++) {
		int rows = isnan(arguments->fail_above) ? EXIT_OK
							: judge_rows(c, s, arguments->fail_above);
		int gaps = isnan(arguments->max_gap_ns) ? EXIT_OK
							: judge_gaps(c, s, arguments->max_gap_ns);
		worse |= rows == EXIT_NO || gaps == EXIT_NO;
		cannot |= rows == EXIT_FAILED || gaps == EXIT_FAILED;
	}
	return worse ? EXIT_NO : cannot ? EXIT_FAILED : EXIT_OK;
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
	compare_sets(&c, sets, arguments->margin);
	if (arguments->json)
		comparison_print_json(&c, stdout);
	else
		comparison_print(&c, arguments->all, stdout);
	int code = finish_output(ME, stdout, verdict(&c, arguments));
	comparison_free(&c);
	return code;
}

static int compare_files(int n, char **paths, const struct arguments *arguments)
{
	struct results *files = calloc((size_t)n, sizeof *files);
	bool damaged = false, usable = files;
	int code = EXIT_FAILED;

	for (int i = 0; files && i < n; i++)
		usable &= open_result(&files[i], paths[i], &damaged);
	if (usable && !filter_rows(ME, files, (size_t)n, &arguments->filter))
		code = compare(sets_group(files, (size_t)n), arguments);
	for (int i = 0; files && i < n; i++)
		results_free(&files[i]);
	free(files);
	return damaged ? EXIT_FAILED : code;
}

int compare_main(int argc, char **argv)
{
	struct arguments arguments = { .filter = ROW_FILTER_ALL,
		.fail_above = NAN,
		.max_gap_ns = NAN,
		.margin = MARGIN_DEFAULT };
	int code = parse(argc, argv, &arguments);

	if (code >= 0)
		return code;
	if (optind == argc)
		return command_error(ME, "no file; see `anechoic compare --help`");
	if (arguments.fleet)
		return compare_fleet(&(struct fleet_arguments){ arguments.filter.rooms,
					     arguments.json, arguments.all, arguments.margin },
			argv + optind);
	return compare_files(argc - optind, argv + optind, &arguments);
}
