/* SPDX-License-Identifier: MIT */
/* What the commands that read results share. */
#ifndef LINUX_READING_H
#define LINUX_READING_H

#include <stdbool.h>
#include <stdio.h>

#include "report/results.h"

/*
 * Reads a result file and says on standard error what is wrong with it. False: nothing in it can be
 * used. *damaged is set if something was wrong, and left as it is otherwise.
 */
bool reading_open(struct results *, const char *path, bool *damaged);

/* An option of a command: with a value where `text` is given, else a flag. */
struct reading_option {
	const char *name;
	const char **text;
	const char *otherwise; /* the value may be left out, and is then this; NULL: it may not */
	bool *flag;
};

/*
 * Parses a command's options, and --help, which prints the text. -1: go on, optind is at the first
 * file; else the exit code, what was wrong having been said.
 */
int reading_options(const char *command, const char *help, const struct reading_option *options,
	size_t n, int argc, char **argv);

/* Complains in the form "anechoic COMMAND: ..."; EXIT_BAD_INPUT. */
int reading_complain(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Flushes standard output: `code`, or EXIT_BAD_OUTPUT, said, if something could not be written. */
int reading_finish(const char *command, FILE *out, int code);

#endif
