/* SPDX-License-Identifier: MIT */
/* What the commands that read results share. */
#ifndef HOST_READING_H
#define HOST_READING_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/model.h"

/*
 * Reads a result file and says on standard error what is wrong with it. False: nothing in it can be
 * used. *damaged is set if something was wrong, and left as it is otherwise.
 */
bool reading_open(struct results *, const char *path, bool *damaged);

/* Says what getopt_long refused; EXIT_BAD_INPUT. */
int reading_refuse(const char *command, char **argv, int option);

/* Complains in the form "anechoic COMMAND: ..."; EXIT_BAD_INPUT. */
int reading_complain(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Flushes standard output: `code`, or EXIT_BAD_OUTPUT, said, if something could not be written. */
int reading_finish(const char *command, FILE *out, int code);

#endif
