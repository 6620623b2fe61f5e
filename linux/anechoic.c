/* SPDX-License-Identifier: MIT */
/* anechoic under Linux: measures, and reads results from anywhere. */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/text.h"
#include "linux/commands.h"
#include "version.h"

static const struct command *const commands[] = { &command_run, &command_compare, &command_show,
	&command_explain, &command_check, &command_anonymize, &command_report, &command_plot,
	&command_export, &command_import, &command_boot, &command_bare, &command_fetch,
	&command_ladder };

#define COMMANDS (sizeof commands / sizeof *commands)

static void help(FILE *out)
{
	fputs("Usage: anechoic COMMAND [OPTION...]\n\n"
	      "Measures a processor, its caches and its memory, and reads such results.\n\n",
		out);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->what);
	fputs("\n`anechoic COMMAND --help` or `anechoic help COMMAND` explains one command,\n"
	      "`man anechoic` all of them. -V, --version: the build.\n"
	      "The boot image with the same timed code has never run on silicon without a\n"
	      "hypervisor.\n",
		out);
}

/*
 * Before any other command: report waiting results, which the sender of the machine may have
 * forgotten.
 */
static void say_what_waits(const char *command)
{
	bool asks = strcmp(command, "boot") && strcmp(command, "bare") &&
		strcmp(command, "fetch") && strcmp(command, "ladder");
	unsigned n = asks ? collect_waiting() : 0;

	if (n)
		fprintf(stderr,
			"anechoic: results of a boot wait (%u file%s): sudo anechoic fetch\n", n,
			text_plural(n));
}

/*
 * Open /dev/null for standard streams that are closed, so that no file that is opened becomes one;
 * writing to these fails.
 */
static void fill_streams(void)
{
	int fd;
	while ((fd = open("/dev/null", O_RDONLY)) >= 0 && fd <= STDERR_FILENO)
		;
	close(fd);
}

static int finish(void)
{
	if (!fflush(stdout))
		return EXIT_OK;
	perror("anechoic: standard output");
	return EXIT_FAILED;
}

static int refuse_command(const char *word)
{
	const char *near = NULL;
	size_t least = 0;

	for (size_t i = 0; i < COMMANDS; i++)
		if (text_nearer(word, commands[i]->name, &least))
			near = commands[i]->name;
	if (text_nearer(word, "help", &least))
		near = "help";
	if (text_nearer(word, "version", &least))
		near = "--version";
	if (*word == '-')
		fprintf(stderr,
			"anechoic: option '%s' stands behind a command, such as anechoic run %s\n",
			word, word);
	else if (!near && !access(word, F_OK))
		fprintf(stderr, "anechoic: '%s' is a file: anechoic show %s\n", word, word);
	else
		fprintf(stderr,
			near ? "anechoic: unknown command '%s': did you mean '%s'?\n"
			     : "anechoic: unknown command '%s'; see `anechoic --help`\n",
			word, near);
	return EXIT_FAILED;
}

static const struct command *command_named(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

/* Print the help of a command; NULL: of all. */
static int help_on(char *name)
{
	char *asked[] = { name, "--help", NULL };
	const struct command *command = name ? command_named(name) : NULL;

	if (command)
		return command->main(2, asked);
	if (name)
		return refuse_command(name);
	help(stdout);
	return finish();
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

int main(int argc, char **argv)
{
	fill_streams();
	if (argc < 2) {
		help(stderr);
		return EXIT_FAILED;
	}
	if (is_one_of(argv[1], "--help", "-h"))
		return help_on(NULL);
	if (!strcmp(argv[1], "help"))
		return help_on(argv[2]);
	if (is_one_of(argv[1], "--version", "-V")) {
		puts("anechoic " VERSION);
		return finish();
	}
	const struct command *command = command_named(argv[1]);
	if (!command)
		return refuse_command(argv[1]);
	say_what_waits(command->name);
	return command->main(argc - 1, argv + 1);
}
