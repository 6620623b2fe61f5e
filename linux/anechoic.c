/* SPDX-License-Identifier: MIT */
/* anechoic under Linux: measures, and reads what was measured anywhere. */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "linux/boot/collect.h"
#include "lib/text.h"
#include "linux/commands.h"
#include "version.h"

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *what; /* one line for --help */
} commands[] = {
	{ "run", run_main, "measures this machine under Linux" },
	{ "compare", compare_main, "compares results: rooms, machines, before and after" },
	{ "show", show_main, "prints the tables of a result" },
	{ "check", check_main, "lists what a result should make one suspicious of" },
	{ "report", report_main, "writes results as a page: pictures, card, comparison" },
	{ "plot", plot_main, "writes one picture of results as SVG" },
	{ "export", export_main, "writes a result for benchstat, Google Benchmark or as CSV" },
	{ "import", import_main, "takes a result from a serial log or from firmware variables" },
	{ "boot", boot_main, "sends this machine into the boot image, once" },
	{ "fetch", fetch_main, "brings the results of such a boot home" },
	{ "ladder", ladder_main, "all three rooms in one go: runs, boots, fetches, compares" },
	{ NULL, NULL, NULL },
};

static void help(FILE *out)
{
	fputs("Usage: anechoic COMMAND [OPTION...]\n\n"
	      "Measures a processor, its caches and its memory, and reads such results.\n\n",
		out);
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-8s %s\n", c->name, c->what);
	fputs("\n`anechoic COMMAND --help` explains one command; `man anechoic` all of them.\n"
	      "The boot image with the same timed code has never run on silicon without a\n"
	      "hypervisor.\n",
		out);
}

/* Before any other command: whoever sent the machine away may have forgotten what it brought. */
static void say_what_waits(const char *command)
{
	bool asks =
		strcmp(command, "boot") && strcmp(command, "fetch") && strcmp(command, "ladder");
	unsigned n = asks ? collect_waiting() : 0;

	if (n)
		fprintf(stderr,
			"anechoic: results of a boot wait (%u file%s): sudo anechoic fetch\n", n,
			text_plural(n));
}

/*
 * The first file opened must not become a standard stream that was closed; writing to these fails.
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

int main(int argc, char **argv)
{
	fill_streams();
	if (argc < 2) {
		help(stderr);
		return EXIT_FAILED;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		help(stdout);
		return finish();
	}
	if (!strcmp(argv[1], "--version")) {
		puts("anechoic " VERSION);
		return finish();
	}
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(argv[1], c->name)) {
			say_what_waits(c->name);
			return c->main(argc - 1, argv + 1);
		}
	fprintf(stderr, "anechoic: unknown command '%s'; see `anechoic --help`\n", argv[1]);
	return EXIT_FAILED;
}
