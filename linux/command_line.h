/* SPDX-License-Identifier: MIT */
/* Common to the commands: options and their help, messages, opening a result, rows of it. */
#ifndef LINUX_COMMAND_LINE_H
#define LINUX_COMMAND_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "linux/report/reading/results.h"

/* An option of a command, with an argument if `value` is given, else a flag. */
struct command_option {
	const char *name;
	char letter;          /* its short name: 'q'; 0: none */
	const char *argument; /* as the help shows it after the name: " FILE", "[=DIR]"; "": flag */
	const char
		*help; /* a text, wrapped as it is printed; NULL: not listed (another spelling) */
	const char **value;  /* receives the argument */
	const char *implied; /* value if the argument is left out; NULL: it must be given */
	bool *flag;
};

/* A command: its name and what --help prints before and after the options. */
struct command_help {
	const char *name;
	const char *usage, *notes;
};

/*
 * Parse a command's options, and --help, which prints the text. Returns -1 to go on, with optind at
 * the first file; else the exit code: --help was printed, or an error.
 */
int parse_options(const struct command_help *, const struct command_option *options, size_t n,
	int argc, char **argv);

/* Print an option's line of a help: "  -q, --quiet         nothing but errors". */
void print_option(const char *name, char letter, const char *argument, const char *help);

/*
 * Report that no file was given, and name the newest result of this folder if there is one. Returns
 * EXIT_FAILED.
 */
int no_file(const char *command);

/* The option -q, after which be_quiet is called: nothing more is printed on standard output. */
extern const char quiet_help[];
#define QUIET_OPTION(to)                                                                           \
	{                                                                                          \
		.name = "quiet", .letter = 'q', .argument = "", .flag = (to), .help = quiet_help   \
	}
void be_quiet(void);

struct option;

/*
 * Write to err the error in the word at which getopt_long returned ':' or '?'; for a misspelt name,
 * the nearest option of the list. Returns -1.
 */
int option_refused(const char *command, const struct option *all, char **argv, int returned,
	char *err, size_t err_bytes);

/*
 * Read a result file and print its problems on standard error. Returns false if nothing in it can
 * be used. *damaged is set if there was a problem, and left as it is otherwise.
 */
bool open_result(struct results *, const char *path, bool *damaged);

/* Print "anechoic COMMAND: ..." on standard error; returns EXIT_FAILED. */
int command_error(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Flush the output. Returns `code`, or EXIT_FAILED after a message if something was not written. */
int finish_output(const char *command, FILE *out, int code);

/* The options --probe and --room of the commands that read results. */

/* Comma-separated names; "": all. Probes may be given with a variant, as for `run`. */
struct row_filter {
	const char *rooms, *probes;
};

extern const char row_filter_probe_help[], row_filter_room_help[];

/* Initialisers: for a struct row_filter; for its options in an array of struct command_option. */
#define ROW_FILTER_ALL                                                                             \
	{                                                                                          \
		"", ""                                                                             \
	}
#define ROW_FILTER_OPTIONS(f)                                                                      \
	{ .name = "probe",                                                                         \
		.argument = " P,...",                                                              \
		.value = &(f)->probes,                                                             \
		.help = row_filter_probe_help },                                                   \
		{ .name = "probes", .value = &(f)->probes },                                       \
	{                                                                                          \
		.name = "room", .argument = " R,...", .value = &(f)->rooms,                        \
		.help = row_filter_room_help                                                       \
	}

/*
 * Drop the runs of other rooms, and the rows and skips of other probes. Returns EXIT_OK;
 * EXIT_FAILED after a message if a name matches nothing in any of the files: with a misspelt name,
 * an empty output would look like an answer.
 */
int filter_rows(const char *command, struct results *files, size_t n, const struct row_filter *);

/*
 * Check the option --source: a letter, "" for none; it goes without --probe. Returns EXIT_OK, or
 * EXIT_FAILED after a message.
 */
#define SOURCE_LETTERS "one source: L M3 P G R L26"
int check_source(const char *command, const json_t *sources, const char *letter,
	const struct row_filter *);

#endif
