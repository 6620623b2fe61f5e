/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/options.h"
#include "linux/command_line.h"
#include "linux/report/sources/sources.h"
#include "linux/commands.h"
#include "linux/report/reading/results.h"
#include "linux/report/wrap.h"
#include "engine/plan.h"
#include "lib/ensure.h"
#include "lib/result_keys.h"
#include "lib/text.h"

#define OPTIONS_MOST 12
#define HELP_COLUMN  20 /* column of the help text of an option */
#define NAME_BYTES   80 /* of an option; a longer name is near to none */
#define ERROR_BYTES  256
#define HELP_BYTES   320 /* of a line of an option's help, before it is wrapped */
#define FILE_NAME    256 /* bytes of a file's name in its folder, with the NUL */
#define OPTION_FIRST 256 /* getopt_long's value of the first option: behind all letters */

int command_error(const char *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "anechoic %s: ", command);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILED;
}

bool open_result(struct results *results, const char *path, bool *damaged)
{
	results_read_file(results, path);
	problems_print(&results->problems, path, stderr);
	*damaged |= results->problems.damage;
	return results->nruns;
}

void print_option(const char *name, char letter, const char *argument, const char *help)
{
	char start[NAME_BYTES], line[HELP_BYTES];
	int width = letter ? snprintf(start, sizeof start, "  -%c, --%s%s ", letter, name, argument)
			   : snprintf(start, sizeof start, "  --%s%s ", name, argument);

	for (; *help; width = 0) {
		size_t length = strcspn(help, "\n");

		snprintf(start + width, sizeof start - (size_t)width, "%*s",
			width < HELP_COLUMN ? HELP_COLUMN - width : 0, "");
		snprintf(line, sizeof line, "%.*s", (int)length, help);
		print_wrapped(stdout, start, line);
		help += length + (help[length] == '\n');
	}
}

static void print_help(const struct command_help *command, const struct command_option *options,
	size_t n)
{
	printf("%s\n\n", command->usage);
	for (size_t i = 0; i < n; i++)
		if (options[i].help)
			print_option(options[i].name, options[i].letter, options[i].argument,
				options[i].help);
	print_option("help", 'h', "", "this text");
	printf("\n%s\n", command->notes);
}

/* The word of the command line that getopt_long refused; a letter may be in the middle of one. */
static const char *refused_word(char **argv)
{
	const char *word = argv[optind - 1];
	bool whole = word[0] == '-' && (word[1] == '-' || word[strlen(word) - 1] == optopt);

	return whole || !argv[optind] ? word : argv[optind];
}

int option_refused(const char *command, const struct option *all, char **argv, int returned,
	char *err, size_t err_bytes)
{
	const char *word = refused_word(argv), *name = word + strspn(word, "-"), *near = NULL;
	char misspelt[NAME_BYTES];
	size_t least = 0;

	if (returned == ':') {
		snprintf(err, err_bytes, "%s needs a value", word);
		return -1;
	}
	snprintf(misspelt, sizeof misspelt, "%.*s", (int)strcspn(name, "="), name);
	for (; all->name; all++) {
		if (word[1] == '-' && strchr(name, '=') && !strcmp(misspelt, all->name)) {
			snprintf(err, err_bytes, "--%s takes no value", misspelt);
			return -1;
		}
		if (text_nearer(misspelt, all->name, &least))
			near = all->name;
	}
	if (near)
		snprintf(err, err_bytes, "unknown option '%s': did you mean '--%s'?", word, near);
	else
		snprintf(err, err_bytes, "unknown option '%s'; see `anechoic %s --help`", word,
			command);
	return -1;
}

static int kind_of(const struct command_option *o)
{
	return !o->value ? no_argument : o->implied ? optional_argument : required_argument;
}

static void set_option(const struct command_option *o, const char *argument)
{
	if (o->value)
		*o->value = argument ? argument : o->implied;
	else
		*o->flag = true;
}

int parse_options(const struct command_help *command, const struct command_option *options,
	size_t n, int argc, char **argv)
{
	struct option all[OPTIONS_MOST + 2] = { { "help", no_argument, NULL, 'h' } };
	char letters[3 + 2 * OPTIONS_MOST] = ":h", err[ERROR_BYTES];
	size_t used = strlen(letters), at;
	int option;

	ensure(n <= OPTIONS_MOST);
	for (size_t i = 0; i < n; i++) {
		all[i + 1] = (struct option){ options[i].name, kind_of(&options[i]), NULL,
			OPTION_FIRST + (int)i };
		if (options[i].letter)
			letters[used++] = options[i].letter;
		if (options[i].letter && options[i].value)
			letters[used++] = ':';
	}
	optind = 0;
	while ((option = getopt_long(argc, argv, letters, all, NULL)) != -1) {
		if (option == 'h') {
			print_help(command, options, n);
			return finish_output(command->name, stdout, EXIT_OK);
		}
		if (option == '?' || option == ':') {
			option_refused(command->name, all, argv, option, err, sizeof err);
			return command_error(command->name, "%s", err);
		}
		for (at = 0; option < OPTION_FIRST && options[at].letter != option;)
			at++;
		set_option(&options[option < OPTION_FIRST ? at : (size_t)(option - OPTION_FIRST)],
			optarg);
	}
	return -1;
}

/* Copy the name of the newest result in this folder. Returns false if there is none. */
static bool newest_result(char out[FILE_NAME])
{
	time_t newest = 0;
	struct stat st;
	glob_t all;

	if (glob("*.ndjson", 0, NULL, &all))
		return false;
	*out = 0;
	for (size_t i = 0; i < all.gl_pathc; i++) {
		const char *name = all.gl_pathv[i];

		if (stat(name, &st) || !S_ISREG(st.st_mode) || (*out && st.st_mtime < newest))
			continue;
		newest = st.st_mtime;
		snprintf(out, FILE_NAME, "%s", name);
	}
	globfree(&all);
	return *out;
}

int no_file(const char *command)
{
	char newest[FILE_NAME];

	if (newest_result(newest))
		return command_error(command, "no file; the newest result here: anechoic %s %s",
			command, newest);
	return command_error(command, "no file; see `anechoic %s --help`", command);
}

const char quiet_help[] = "nothing but errors: the exit code is the answer";

void be_quiet(void)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fflush(stdout);
	if (nowhere < 0)
		return;
	dup2(nowhere, STDOUT_FILENO);
	close(nowhere);
}

int finish_output(const char *command, FILE *out, int code)
{
	if (!fflush(out) && !ferror(out))
		return code;
	command_error(command, "cannot write the output: %s", strerror(errno));
	return EXIT_FAILED;
}

const char row_filter_probe_help[] = "only these probes (or probe:variant)";
const char row_filter_room_help[] = "only these rooms:"
#define ROOM(name) " " #name
#include "lib/rooms.inc"
#undef ROOM
	;

static bool probe_selects(const json_t *line, const char *probes)
{
	const char *probe = text_of(line, KEY_PROBE), *variant = text_of(line, KEY_VARIANT);

	return *variant ? variant_selected(probes, probe, variant) : probe_selected(probes, probe);
}

static bool has_room(const struct run_data *run, const char *room)
{
	return !strcmp(run->room, room);
}

static bool has_probe(const struct run_data *run, const char *probe)
{
	for (size_t i = 0; i < run->nrows; i++)
		if (probe_selects(run->rows[i].json, probe))
			return true;
	for (size_t i = 0; i < run->skips.n; i++)
		if (probe_selects(run->skips.list[i].json, probe))
			return true;
	return false;
}

typedef bool has_fn(const struct run_data *, const char *name);

static bool any_has(const struct results *files, size_t n, has_fn *has, const char *name)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < files[i].nruns; j++)
			if (has(&files[i].runs[j], name))
				return true;
	return false;
}

/* The first name of the list that no run has, which the caller frees; NULL: every name exists. */
static char *missing(const char *list, const struct results *files, size_t n, has_fn *has)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		char *name = strndup(list, length);
		if (name && length && !any_has(files, n, has, name))
			return name;
		free(name);
		list += length + (list[length] == ',');
	}
	return NULL;
}

/* The probe or room of this program that a misspelt name is nearest to; NULL: none is near. */
static const char *near_name(const char *name, has_fn *has)
{
	const char *near = NULL;
	size_t least = 0;

	for (unsigned i = 0; i < probe_count && has == has_probe; i++)
		if (text_nearer(name, probes[i].name, &least))
			near = probes[i].name;
	for (unsigned i = 0; i <= ROOM_BARE && has == has_room; i++)
		if (text_nearer(name, room_names[i], &least))
			near = room_names[i];
	return near && strcmp(near, name) ? near : NULL;
}

/* Check that each name of a list is in one of the files. */
static int check_names(const char *command, const char *list, const struct results *files, size_t n,
	has_fn *has)
{
	char *name = missing(list, files, n, has);
	const char *near = name ? near_name(name, has) : NULL;

	if (!name)
		return EXIT_OK;
	command_error(command, "no file has anything of %s '%s'%s%s%s",
		has == has_room ? "room" : "probe", name, near ? ": did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	free(name);
	return EXIT_FAILED;
}

static void drop_other_rows(struct run_data *run, const char *probes)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->nrows; i++)
		if (probe_selects(run->rows[i].json, probes))
			run->rows[kept++] = run->rows[i];
		else
			row_free(&run->rows[i]);
	run->nrows = kept;
}

static void drop_other_skips(struct printed_lines *skips, const char *probes)
{
	size_t kept = 0;

	for (size_t i = 0; i < skips->n; i++)
		if (probe_selects(skips->list[i].json, probes))
			skips->list[kept++] = skips->list[i];
		else
			json_decref(skips->list[i].json);
	skips->n = kept;
}

static void drop_other_runs(struct results *results, const struct row_filter *filter)
{
	size_t kept = 0;

	for (size_t i = 0; i < results->nruns; i++) {
		struct run_data *run = &results->runs[i];
		if (*filter->rooms && !names_have(filter->rooms, run->room)) {
			run_free(run);
			continue;
		}
		drop_other_rows(run, filter->probes);
		drop_other_skips(&run->skips, filter->probes);
		results->runs[kept++] = *run;
	}
	results->nruns = kept;
}

int filter_rows(const char *command, struct results *files, size_t n,
	const struct row_filter *filter)
{
	if (check_names(command, filter->rooms, files, n, has_room) ||
		check_names(command, filter->probes, files, n, has_probe))
		return EXIT_FAILED;
	for (size_t i = 0; i < n; i++)
		drop_other_runs(&files[i], filter);
	return EXIT_OK;
}

int check_source(const char *command, const json_t *sources, const char *letter,
	const struct row_filter *filter)
{
	char *letters;

	if (!*letter)
		return EXIT_OK;
	if (*filter->probes)
		return command_error(command, "--source has all its probes: leave --probe out");
	if (source_of(sources, letter))
		return EXIT_OK;
	letters = source_letters(sources);
	command_error(command, "no source '%s'; there are: %s", letter, letters);
	free(letters);
	return EXIT_FAILED;
}
