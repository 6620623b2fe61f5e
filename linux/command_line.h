/* SPDX-License-Identifier: MIT */
/* What the commands share: options and their help, messages, opening a result. */
#ifndef LINUX_COMMAND_LINE_H
#define LINUX_COMMAND_LINE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/reading/results.h"

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

#endif
