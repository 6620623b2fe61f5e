/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "host/commands.h"
#include "host/reading.h"
#include "report/reader.h"

bool reading_open(struct results *results, const char *path, bool *damaged)
{
	results_read_file(results, path);
	problems_print(&results->problems, path, stderr);
	*damaged |= results->problems.damage;
	return results->nruns;
}

int reading_complain(const char *command, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "anechoic %s: ", command);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_BAD_INPUT;
}

int reading_refuse(const char *command, char **argv, int option)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return reading_complain(command, "%s needs a value", word);
	return reading_complain(command, "unknown option '%s'; see `anechoic %s --help`", word,
		command);
}

int reading_finish(const char *command, FILE *out, int code)
{
	if (!fflush(out) && !ferror(out))
		return code;
	reading_complain(command, "cannot write the output: %s", strerror(errno));
	return EXIT_BAD_OUTPUT;
}
