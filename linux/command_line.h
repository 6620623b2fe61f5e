/* SPDX-License-Identifier: MIT */
/* What the commands share: options and their help, messages, opening a result, rows of it. */
#ifndef LINUX_COMMAND_LINE_H
#define LINUX_COMMAND_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "linux/report/reading/results.h"

/* An option of a command: one with an argument if `value` is given, else a flag. */
struct command_option {
	const char *name;
	const char
		*argument;   /* as the help shows it behind the name: " FILE", "[=DIR]"; "": flag */
	const char *help;    /* lines of at most 58 columns; NULL: not shown (another spelling) */
	const char **value;  /* where the argument goes */
	const char *implied; /* the argument may be left out and is this then; NULL: it may not */
	bool *flag;
};

/* A command: its name and what --help prints before and after the options. */
struct command_help {
	const char *name;
	const char *usage, *notes;
};

/*
 * Parses a command's options, and --help, which prints the text. -1: go on, optind is at the first
 * file; else the exit code: --help was printed, or what is wrong.
 */
int parse_options(const struct command_help *, const struct command_option *options, size_t n,
	int argc, char **argv);

struct option;

/*
 * Writes to err what is wrong with the word at which getopt_long returned ':' or '?'; of a misspelt
 * name, which option of the list may be meant. Returns -1.
 */
int option_refused(const char *command, const struct option *all, char **argv, int returned,
	char *err, size_t err_bytes);

/*
 * Reads a result file and prints on standard error what is wrong with it. False: nothing in it can
 * be used. *damaged is set if something was wrong, and left as it is otherwise.
 */
bool open_result(struct results *, const char *path, bool *damaged);

/* Prints "anechoic COMMAND: ..." on standard error; EXIT_FAILED. */
int command_error(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Flushes the output: `code`, or EXIT_FAILED after a message if something was not written. */
int finish_output(const char *command, FILE *out, int code);

/* The options --probe and --room of the commands that read results. */

/* Comma-separated names; "": all. Probes may be given with a variant, as for `run`. */
struct row_filter {
	const char *rooms, *probes;
};

extern const char row_filter_probe_help[], row_filter_room_help[];

/* Initialisers: of a struct row_filter; of its options in an array of struct command_option. */
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
 * Drops the runs of other rooms, and the rows and skips of other probes. EXIT_OK; EXIT_FAILED
 * after a message if a name names nothing in any of the files: with a misspelt one, an empty output
 * would look like an answer.
 */
int filter_rows(const char *command, struct results *files, size_t n, const struct row_filter *);

#endif
