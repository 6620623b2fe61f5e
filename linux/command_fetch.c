/* SPDX-License-Identifier: MIT */
/* anechoic fetch: brings the results home that `anechoic boot` led to. */
#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

#include "linux/boot/collect.h"
#include "linux/boot/esp.h"
#include "linux/boot/whole_file.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/efivars.h"

#define ME "fetch"

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic fetch [OPTION...]\n\n"
		 "Brings the results home that the boot image left on the EFI system partition\n"
		 "and in firmware variables: copies them, compares, and deletes them there.",
	.notes = "Exit code: 0 results came; 1 none waits; 2 failed: what was not copied stays\n"
		 "where it is.\n\n"
		 "Example: sudo anechoic fetch --out results",
};

struct arguments {
	const char *out, *esp;
};

static int parse_fetch(int argc, char **argv, struct arguments *a)
{
	const struct command_option options[] = {
		{ .name = "out",
			.argument = " DIR",
			.value = &a->out,
			.help = "where they go (default: this folder); made if absent" },
		{ .name = "esp",
			.argument = " WHERE",
			.value = &a->esp,
			.help = "the EFI system partition: its mount point or its device" },
	};

	return parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);
}

static int fetch_files(const char *where, const char *out, unsigned *n)
{
	char err[REASON_BYTES] = "";
	struct esp esp;

	if (esp_find(&esp, where, true, err))
		return command_error(ME, "%s", err);
	int bad = collect_files(esp.root, out, stdout, n, err);
	esp_reason(&esp, err);
	esp_close(&esp);
	return bad ? command_error(ME, "%s", err) : EXIT_OK;
}

/* Each half comes home also where the other one cannot. */
static int fetch(const char *where, const char *out, unsigned *n)
{
	char err[REASON_BYTES];

	if (mkdir(out, 0777) && errno != EEXIST)
		return command_error(ME, "%s: %s", out, strerror(errno));
	int code = collect_variables(EFIVARS_DIR, out, stdout, n, err)
		? command_error(ME, "%s", err)
		: EXIT_OK;
	return fetch_files(where, out, n) == EXIT_OK ? code : EXIT_FAILED;
}

static int fetch_main(int argc, char **argv)
{
	struct arguments a = { .out = "." };
	unsigned n = 0;
	int code = parse_fetch(argc, argv, &a);

	if (code >= 0)
		return code;
	if (optind != argc)
		return command_error(ME, "'%s': fetch takes options only", argv[optind]);
	if (fetch(a.esp, a.out, &n))
		return finish_output(ME, stdout, EXIT_FAILED);
	if (!n)
		puts("no result waits");
	return finish_output(ME, stdout, n ? EXIT_OK : EXIT_NO);
}

const struct command command_fetch = { "fetch", fetch_main,
	"brings the results of such a boot home" };
