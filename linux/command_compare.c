/* SPDX-License-Identifier: MIT */
/*
 * anechoic compare: the differences between results, and which of them are noise; with --fleet, the
 * machines among many that lie outside of their group.
 */
#include <errno.h>
#include <fts.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "linux/report/reading/results.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/report/compare/gate.h"
#include "linux/report/fleet/fleet.h"

struct fleet_arguments {
	const char *rooms; /* comma-separated; "": all */
	bool json, all;
	double margin; /* a part: smaller differences between groups are not shown */
};

/* The files of a fleet: the named ones, and those in named folders. */

#define ENDING ".ndjson"

/* Identity of a file that was read: it may come again under another name. */
struct seen_file {
	dev_t device;
	ino_t inode;
};

struct fleet_reading {
	struct fleet *fleet;
	struct fleet_faults *faults;
	const char *rooms;
	struct seen_file *seen;
	size_t nseen;
};

static void fault(struct fleet_faults *faults, const char *path, unsigned long line,
	const char *reason)
{
	struct fleet_fault *f = grow((void **)&faults->fault, &faults->n, sizeof *f);
	size_t bytes;
	FILE *out = text_stream(&f->file, &bytes);

	for (const char *c = path; *c; c++)
		fputc(*c >= 0x20 && *c <= 0x7e ? *c : '?', out);
	if (line)
		fprintf(out, ":%lu", line);
	fclose(out);
	f->reason = copy_text(reason);
}

/* Add one line for a file: its first damage. */
static void take_faults(struct fleet_reading *r, const struct results *results)
{
	const struct problems *problems = &results->problems;

	for (unsigned long i = 0; i < problems->all && i < PROBLEMS_KEPT; i++)
		if (problems->kept[i].severity == SEVERITY_DAMAGE) {
			fault(r->faults, results->name, problems->kept[i].line,
				problems->kept[i].text);
			return;
		}
	if (problems->damage)
		fault(r->faults, results->name, 0, "damaged");
}

static bool seen_before(struct fleet_reading *r, const struct stat *st)
{
	for (size_t i = 0; i < r->nseen; i++)
		if (r->seen[i].device == st->st_dev && r->seen[i].inode == st->st_ino)
			return true;
	*(struct seen_file *)grow((void **)&r->seen, &r->nseen, sizeof *r->seen) =
		(struct seen_file){ st->st_dev, st->st_ino };
	return false;
}

static void read_one(struct fleet_reading *r, const FTSENT *entry)
{
	struct results results;
	struct stat st;

	if (!stat(entry->fts_accpath, &st) && seen_before(r, &st))
		return;
	char *machine = machine_of_file(entry->fts_path, entry->fts_level > 1);
	results_read_summaries(&results, entry->fts_path);
	take_faults(r, &results);
	fleet_add(r->fleet, &results, machine, r->rooms);
	results_free(&results);
	free(machine);
}

static bool is_result_name(const char *name)
{
	size_t n = strlen(name), ending = strlen(ENDING);

	return n >= ending && !strcmp(name + n - ending, ENDING);
}

/*
 * Returns true for a file, or a link to one; links to folders are not followed, as they might form
 * a circle.
 */
static bool is_file(const FTSENT *entry)
{
	struct stat st;

	return entry->fts_info == FTS_F ||
		(entry->fts_info == FTS_SL && !stat(entry->fts_accpath, &st) &&
			S_ISREG(st.st_mode));
}

static void take_entry(struct fleet_reading *r, const FTSENT *entry)
{
	bool named = entry->fts_level == 0;

	switch (entry->fts_info) {
	case FTS_D:
	case FTS_DP:
		return;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		fault(r->faults, entry->fts_path, 0, strerror(entry->fts_errno));
		return;
	}
	if (named || (is_file(entry) && is_result_name(entry->fts_name)))
		read_one(r, entry);
	else
		r->faults->others++;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/*
 * Read every file once, whatever its names are, and add it to the fleet; from folders, the files
 * whose name ends in .ndjson, in the order of their names. Only one file is in memory at a time.
 */
static void fleet_read(struct fleet *fleet, struct fleet_faults *faults, char *const *paths,
	const char *rooms)
{
	struct fleet_reading r = { .fleet = fleet, .faults = faults, .rooms = rooms };

	for (; *paths; paths++) {
		char *const one[] = { *paths, NULL };
		FTS *folder = fts_open(one, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);

		if (!folder) {
			fault(faults, *paths, 0, strerror(errno));
			continue;
		}
		for (FTSENT *entry; (entry = fts_read(folder));)
			take_entry(&r, entry);
		fts_close(folder);
	}
	free(r.seen);
}

static void fleet_faults_free(struct fleet_faults *faults)
{
	for (size_t i = 0; i < faults->n; i++) {
		free(faults->fault[i].file);
		free(faults->fault[i].reason);
	}
	free(faults->fault);
}

#define ME "compare"

/* Returns true if any run was of that room. */
static bool fleet_has_room(const struct fleet *f, const char *room)
{
	for (size_t i = 0; i < f->ngroups; i++)
		if (!strcmp(f->groups[i].key[FLEET_KEY_room], room))
			return true;
	return false;
}

/* Check that each named room exists: a misspelt room would look like a fleet without outliers. */
static int check_rooms(const struct fleet *fleet, const char *rooms)
{
	while (*rooms) {
		char name[32];
		size_t n = strcspn(rooms, ",");
		snprintf(name, sizeof name, "%.*s", (int)n, rooms);
		if (n && !fleet_has_room(fleet, name))
			return command_error(ME, "no file has anything of room '%s'", name);
		rooms += n + (rooms[n] == ',');
	}
	return EXIT_OK;
}

/*
 * paths: folders and files, ends with NULL. Prints the answer. Returns EXIT_NO if a machine lies
 * outside of its group; EXIT_FAILED, also then, if a file is damaged or cannot be read, or if no
 * machine can be judged.
 */
static int compare_fleet(const struct fleet_arguments *arguments, char *const *paths)
{
	struct fleet_faults faults = { 0 };
	struct fleet fleet;

	fleet_open(&fleet);
	fleet_read(&fleet, &faults, paths, arguments->rooms);
	int code = check_rooms(&fleet, arguments->rooms);
	if (code == EXIT_OK) {
		fleet_judge(&fleet, arguments->margin);
		if (arguments->json)
			fleet_print_json(&fleet, &faults, stdout);
		else
			fleet_print(&fleet, &faults, arguments->all, stdout);
		code = faults.n || !fleet.tests ? EXIT_FAILED : fleet.found ? EXIT_NO : EXIT_OK;
	}
	fleet_free(&fleet);
	fleet_faults_free(&faults);
	return finish_output(ME, stdout, code);
}

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

struct compare_arguments {
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

/* Read a duration: "20us", "1ms", "500ns". */
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

/* Returns -1 to go on; else the exit code. */
static int parse_compare(int argc, char **argv, struct compare_arguments *arguments)
{
	const char *fail_above = NULL, *margin = NULL, *max_gap = NULL;
	bool quiet = false;
	const struct command_option options[] = { ROW_FILTER_OPTIONS(&arguments->filter),
		{ .name = "json",
			.argument = "",
			.flag = &arguments->json,
			.help = "the comparison as JSON" },
		{ .name = "all",
			.letter = 'v',
			.argument = "",
			.flag = &arguments->all,
			.help = "then every circumstance, every row and what disturbed it" },
		{ .name = "verbose", .flag = &arguments->all }, QUIET_OPTION(&quiet),
		{ .name = "margin",
			.argument = " N%",
			.value = &margin,
			.help = "a row is the same if it differs by less than N % (default 2)" },
		{ .name = "fleet",
			.argument = "",
			.flag = &arguments->fleet,
			.help = "many machines: by their summary values, which lie outside of "
				"their group (one room, model and firmware). Exit code 1: "
				"there are some" },
		{ .name = "fail-above",
			.argument = " N%",
			.value = &fail_above,
			.help = "exit code 1 if a row is slower than in the first file, by "
				"more than N %; 2 if that cannot be judged, and why" },
		{ .name = "max-gap",
			.argument = " T",
			.value = &max_gap,
			.help = "exit code 1 if another file has a gap longer than T (20us, "
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
	if (quiet)
		be_quiet();
	return code;
}

/* Apply --fail-above to one set. Returns the exit code. */
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

/* Apply --max-gap to one set. Returns the exit code. */
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

/* The exit code: a set that is surely worse counts more than a set that cannot be judged. */
static int verdict(const struct comparison *c, const struct compare_arguments *arguments)
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

static int compare_all(struct sets sets, const struct compare_arguments *arguments)
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

static int compare_files(int n, char **paths, const struct compare_arguments *arguments)
{
	struct results *files = calloc((size_t)n, sizeof *files);
	bool damaged = false, usable = files;
	int code = EXIT_FAILED;

	for (int i = 0; files && i < n; i++)
		usable &= open_result(&files[i], paths[i], &damaged);
	if (usable && !filter_rows(ME, files, (size_t)n, &arguments->filter))
		code = compare_all(sets_group(files, (size_t)n), arguments);
	for (int i = 0; files && i < n; i++)
		results_free(&files[i]);
	free(files);
	return damaged ? EXIT_FAILED : code;
}

static int compare_main(int argc, char **argv)
{
	struct compare_arguments arguments = { .filter = ROW_FILTER_ALL,
		.fail_above = NAN,
		.max_gap_ns = NAN,
		.margin = MARGIN_DEFAULT };
	int code = parse_compare(argc, argv, &arguments);

	if (code >= 0)
		return code;
	if (optind == argc)
		return no_file(ME);
	if (arguments.fleet)
		return compare_fleet(&(struct fleet_arguments){ arguments.filter.rooms,
					     arguments.json, arguments.all, arguments.margin },
			argv + optind);
	return compare_files(argc - optind, argv + optind, &arguments);
}

const struct command command_compare = { "compare", compare_main,
	"compares results: rooms, machines, before and after" };
