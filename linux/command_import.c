/* SPDX-License-Identifier: MIT */
/* anechoic import: brings a bare-metal result home. */
#include <getopt.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/commands.h"
#include "linux/efivars.h"
#include "linux/reading.h"
#include "report/serial_log.h"

#define ME "import"

static const char help[] =
	"Usage: anechoic import --serial LOG [--out FILE]\n"
	"       anechoic import --efivars[=DIR] [--delete] [--out FILE]\n\n"
	"Writes a result that came by another way as a result file.\n\n"
	"  --serial LOG        takes the result lines out of a captured serial log (- is standard\n"
	"                      input), with other text, ANSI sequences and lost bytes in it; "
	"every\n"
	"                      line whose checksum is right is kept, and what is lost is said\n"
	"  --efivars[=DIR]     takes the result that room bare left in firmware variables, from\n"
	"                      " EFIVARS_DIR " or another directory\n"
	"  --delete            deletes those variables once the result is written and flushed\n"
	"  --out FILE          where to (default: -, standard output); not touched if nothing "
	"came\n"
	"  --help              this text\n\n"
	"Exit code: 0 all is there; 1 lines are lost, the rest was written; 2 there is no result, "
	"a mistake\n"
	"in the command line, or the output failed.\n\n"
	"Example: anechoic import --serial /tmp/minicom.cap --out metal.ndjson\n"
	"         sudo anechoic import --efivars --delete --out metal.ndjson";

static const char firmware[] = EFIVARS_DIR;

struct choice {
	const char *serial, *efivars, *out;
	bool delete;
};

/* -1: go on; else the exit code. */
static int options(int argc, char **argv, struct choice *choice)
{
	const struct reading_option all[] = { { .name = "serial", .text = &choice->serial },
		{ .name = "efivars", .text = &choice->efivars, .otherwise = firmware },
		{ .name = "delete", .flag = &choice->delete },
		{ .name = "out", .text = &choice->out } };

	return reading_options(ME, help, all, sizeof(all) / sizeof(*all), argc, argv);
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

static int no_variables(const char *where)
{
	if (strcmp(where, firmware) || errno != ENOENT)
		return reading_complain(ME, "%s: %s", where, strerror(errno));
	return reading_complain(ME,
		EFIVARS_DIR " is not there: this machine was not started by UEFI, or "
			    "efivarfs is not mounted");
}

/* The pending result; *vars is to be freed in any case. */
static int import_variables(struct efivars *vars, const char *dir, FILE *out)
{
	const char *why;
	char *what, *text;
	size_t n;

	if (efivars_read(vars, dir, &what)) {
		int code = no_variables(what);
		free(what);
		return code;
	}
	text = efivars_unpack(vars, &n, &why);
	if (!text)
		return reading_complain(ME, "%s: %s", dir, why);
	fwrite(text, 1, n, out);
	free(text);
	return EXIT_OK;
}

static int failed(const char *path)
{
	reading_complain(ME, "cannot write '%s': %s", path, strerror(errno));
	return EXIT_BAD_OUTPUT;
}

/* Opened only now: what was there stays where nothing came, and may itself be the log. */
static int write_out(const char *path, const char *text, size_t n)
{
	if (!strcmp(path, "-")) {
		fwrite(text, 1, n, stdout);
		return reading_finish(ME, stdout, EXIT_OK);
	}
	FILE *out = fopen(path, "wb");
	if (!out)
		return failed(path);
	bool written = fwrite(text, 1, n, out) == n && !fflush(out) &&
		(!fsync(fileno(out)) || errno == EINVAL || errno == EROFS);
	int code = written ? EXIT_OK : failed(path);
	return fclose(out) && written ? failed(path) : code;
}

/* Only a result that is safe elsewhere may be deleted. */
static int delete_variables(const struct efivars *vars)
{
	const char *what;

	if (efivars_delete(vars, &what))
		return reading_complain(ME, "cannot delete '%s': %s", what, strerror(errno));
	fprintf(stderr, "anechoic import: %zu variables deleted\n", vars->n);
	return EXIT_OK;
}

static int import(const struct choice *choice)
{
	struct efivars vars = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return reading_complain(ME, "%s", strerror(errno));
	int code = choice->serial ? import_serial(choice->serial, to)
				  : import_variables(&vars, choice->efivars, to);
	bool held = !ferror(to) && !fclose(to);
	if (!held)
		code = reading_complain(ME, "no memory for the result");
	else if (n && write_out(choice->out, text, n))
		code = EXIT_BAD_OUTPUT;
	if (code == EXIT_OK && choice->delete)
		code = delete_variables(&vars);
	efivars_free(&vars);
	free(text);
	return code;
}

static int check(int argc, const struct choice *choice)
{
	if (optind != argc || !choice->serial == !choice->efivars)
		return reading_complain(ME,
			"--serial LOG or --efivars[=DIR], please; see "
			"`anechoic import --help`");
	if (choice->delete &&!choice->efivars)
		return reading_complain(ME, "--delete goes with --efivars");
	if (choice->delete &&!strcmp(choice->out, "-"))
		return reading_complain(ME,
			"--delete needs --out FILE: what is deleted must be safe");
	return EXIT_OK;
}

int import_main(int argc, char **argv)
{
	struct choice choice = { .out = "-" };
	int code = options(argc, argv, &choice);

	if (code >= 0)
		return code;
	if (choice.efivars == firmware && optind + 1 == argc)
		choice.efivars = argv[optind++]; /* "--efivars DIR" */
	return check(argc, &choice) ? EXIT_BAD_INPUT : import(&choice);
}
