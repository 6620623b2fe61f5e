/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "linux/commands.h"
#include "linux/reading.h"
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

#define OPTIONS_MOST 8

static int refuse(const char *command, char **argv, int option)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return reading_complain(command, "%s needs a value", word);
	return reading_complain(command, "unknown option '%s'; see `anechoic %s --help`", word,
		command);
}

static int kind_of(const struct reading_option *o)
{
	return !o->text ? no_argument : o->otherwise ? optional_argument : required_argument;
}

static void set(const struct reading_option *o, const char *value)
{
	if (o->text)
		*o->text = value ? value : o->otherwise;
	else
		*o->flag = true;
}

int reading_options(const char *command, const char *help, const struct reading_option *options,
	size_t n, int argc, char **argv)
{
	struct option all[OPTIONS_MOST + 2] = { { "help", no_argument, NULL, 'h' } };
	int option, which;

	for (size_t i = 0; i < n && i < OPTIONS_MOST; i++)
		all[i + 1] = (struct option){ options[i].name, kind_of(&options[i]), NULL, 'o' };
	optind = 0;
	while ((option = getopt_long(argc, argv, ":h", all, &which)) != -1) {
		if (option == 'h') {
			puts(help);
			return reading_finish(command, stdout, EXIT_OK);
		}
		if (option != 'o')
			return refuse(command, argv, option);
		set(&options[which - 1], optarg);
	}
	return -1;
}

int reading_finish(const char *command, FILE *out, int code)
{
	if (!fflush(out) && !ferror(out))
		return code;
	reading_complain(command, "cannot write the output: %s", strerror(errno));
	return EXIT_BAD_OUTPUT;
}
