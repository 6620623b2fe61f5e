/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "linux/command_line.h"
#include "linux/commands.h"
#include "report/reading/reader.h"

#define OPTIONS_MOST 12
#define HELP_COLUMN  20 /* where what an option does begins */

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

static void print_option(const char *name, const char *argument, const char *help)
{
	int width = printf("  --%s%s ", name, argument);

	for (int indent = HELP_COLUMN - width; *help; indent = HELP_COLUMN) {
		int length = (int)strcspn(help, "\n");
		printf("%*s%.*s\n", indent > 0 ? indent : 0, "", length, help);
		help += length + (help[length] == '\n');
	}
}

static void print_help(const struct command_help *command, const struct command_option *options,
	size_t n)
{
	printf("%s\n\n", command->usage);
	for (size_t i = 0; i < n; i++)
		if (options[i].help)
			print_option(options[i].name, options[i].argument, options[i].help);
	print_option("help", "", "this text");
	printf("\n%s\n", command->notes);
}

static int refuse(const char *command, char **argv, int option)
{
	const char *word = argv[optind - 1];

	if (option == ':')
		return command_error(command, "%s needs a value", word);
	return command_error(command, "unknown option '%s'; see `anechoic %s --help`", word,
		command);
}

static int kind_of(const struct command_option *o)
{
	return !o->value ? no_argument : o->implied ? optional_argument : required_argument;
}

static void set(const struct command_option *o, const char *argument)
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
	int option, which;

	for (size_t i = 0; i < n && i < OPTIONS_MOST; i++)
		all[i + 1] = (struct option){ options[i].name, kind_of(&options[i]), NULL, 'o' };
	optind = 0;
	while ((option = getopt_long(argc, argv, ":h", all, &which)) != -1) {
		if (option == 'h') {
			print_help(command, options, n);
			return finish_output(command->name, stdout, EXIT_OK);
		}
		if (option != 'o')
			return refuse(command->name, argv, option);
		set(&options[which - 1], optarg);
	}
	return -1;
}

int finish_output(const char *command, FILE *out, int code)
{
	if (!fflush(out) && !ferror(out))
		return code;
	command_error(command, "cannot write the output: %s", strerror(errno));
	return EXIT_FAILED;
}
