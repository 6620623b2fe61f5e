/* SPDX-License-Identifier: MIT */
/* anechoic import: brings a bare-metal result home. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/commands.h"
#include "host/reading.h"
#include "report/serial.h"

#define ME "import"

static const char help[] =
	"Usage: anechoic import --serial LOG [--out FILE]\n\n"
	"Writes a result that came by another way as a result file.\n\n"
	"  --serial LOG        takes the result lines out of a captured serial log (- is standard\n"
	"                      input), with other text, ANSI sequences and lost bytes in it; every\n"
	"                      line whose checksum is right is kept, and what is lost is said\n"
	"  --out FILE          where to (default: standard output)\n"
	"  --help              this text\n\n"
	"Exit code: 0 all is there; 1 lines are lost, the rest was written; 2 there is no result, or a\n"
	"mistake in the command line; 3 the output failed.\n\n"
	"Example: anechoic import --serial /tmp/minicom.cap --out metal.ndjson";

struct choice {
	const char *serial, *out;
};

/* -1: go on; else the exit code. */
static int options(int argc, char **argv, struct choice *choice)
{
	static const struct option all[] = { { "serial", required_argument, NULL, 's' },
		{ "out", required_argument, NULL, 'o' }, { "help", no_argument, NULL, 'h' }, { 0 } };
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, ":", all, NULL)) != -1)
		switch (option) {
		case 's':
			choice->serial = optarg;
			break;
		case 'o':
			choice->out = optarg;
			break;
		case 'h':
			puts(help);
			return EXIT_OK;
		default:
			return reading_refuse(ME, argv, option);
		}
	return -1;
}

static int import_serial(const char *path, FILE *out)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	struct saved saved;

	if (!in)
		return reading_complain(ME, "%s: %s", path, strerror(errno));
	errno = 0;
	serial_save(&saved, in, out);
	int code = !saved.kept ? EXIT_BAD_INPUT : saved_whole(&saved) ? EXIT_OK : EXIT_NO;
	if (ferror(in))
		code = reading_complain(ME, "%s: %s", path, strerror(errno));
	else if (!saved.kept)
		reading_complain(ME, "%s: no result line with a right checksum", path);
	saved_print(&saved, stderr);
	saved_free(&saved);
	if (in != stdin)
		fclose(in);
	return code;
}

int import_main(int argc, char **argv)
{
	struct choice choice = { 0 };
	int code = options(argc, argv, &choice);

	if (code >= 0)
		return code;
	if (!choice.serial || optind != argc)
		return reading_complain(ME, "--serial LOG, please; see `anechoic import --help`");
	FILE *out = choice.out ? fopen(choice.out, "wb") : stdout;
	if (!out) {
		reading_complain(ME, "cannot write '%s': %s", choice.out, strerror(errno));
		return EXIT_BAD_OUTPUT;
	}
	code = reading_finish(ME, out, import_serial(choice.serial, out));
	if (out != stdout && fclose(out) && code != EXIT_BAD_OUTPUT)
		code = EXIT_BAD_OUTPUT;
	return code;
}
