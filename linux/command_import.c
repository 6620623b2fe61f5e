/* SPDX-License-Identifier: MIT */
/* anechoic import: a result file from a serial log, firmware variables or a photograph. */
#include <getopt.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/commands.h"
#include "linux/efivars.h"
#include "linux/command_line.h"
#include "linux/qr_photo.h"
#include "lib/qr_card.h"
#include "report/allocate.h"
#include "report/reading/serial_log.h"

#define ME "import"

static const struct command_help command = {
	.name = ME,
	.usage = "Usage: anechoic import --serial LOG [--stored FILE] [--out FILE]\n"
		 "       anechoic import --efivars[=DIR] [--delete] [--out FILE]\n"
		 "       anechoic import --qr PICTURE [--out FILE]\n\n"
		 "Writes a result file from a serial log, from firmware variables or from a\n"
		 "photograph of the card's QR code.",
	.notes = "Exit code: 0 the result is whole; 1 lines are lost, the others were\n"
		 "written, or nothing in the log is the result of --stored; 2 there is\n"
		 "no result, a mistake in the command line, or the output failed.\n\n"
		 "Example: anechoic import --serial /tmp/minicom.cap --out metal.ndjson\n"
		 "         sudo anechoic import --efivars --delete --out metal.ndjson\n"
		 "         anechoic import --qr photo.jpg --out metal.ndjson",
};

static const char firmware[] = EFIVARS_DIR;

struct arguments {
	const char *serial, *stored, *efivars, *qr, *out;
	bool delete_variables;
};

/* -1: go on; else the exit code. */
static int parse_import(int argc, char **argv, struct arguments *arguments)
{
	const struct command_option options[] = {
		{ .name = "serial",
			.argument = " LOG",
			.value = &arguments->serial,
			.help = "takes the result lines out of a captured serial log (-:\n"
				"standard input), which may have other text, ANSI sequences\n"
				"and lost bytes in it; every line with a right checksum is\n"
				"kept, and lost lines are named" },
		{ .name = "stored",
			.argument = " FILE",
			.value = &arguments->stored,
			.help = "with --serial: only the run that FILE was made from, a\n"
				"result that came home thinned; thinning that run must\n"
				"give the bytes of FILE, or nothing is written" },
		{ .name = "efivars",
			.argument = "[=DIR]",
			.value = &arguments->efivars,
			.implied = firmware,
			.help = "takes the result that room bare stored in firmware\n"
				"variables, from " EFIVARS_DIR "\n"
				"or another directory" },
		{ .name = "delete",
			.argument = "",
			.flag = &arguments->delete_variables,
			.help = "deletes those variables once the result is written and\n"
				"flushed" },
		{ .name = "qr",
			.argument = " PICTURE",
			.value = &arguments->qr,
			.help = "reads the QR code on the last screen of a run out of a\n"
				"photograph, by the program zbarimg (Debian: zbar-tools),\n"
				"or out of a file with the text that a telephone's scanner\n"
				"shows or a serial log has; the result has the card's\n"
				"values, and no rows" },
		{ .name = "out",
			.argument = " FILE",
			.value = &arguments->out,
			.help = "the result file (default: -, standard output); not touched\n"
				"if there is no result" },
	};

	return parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);
}

/* The bytes of a file, to be freed; NULL with errno, which is 0 if the file is empty. */
static char *file_text(const char *path, size_t *n)
{
	errno = 0;
	FILE *in = fopen(path, "rb");
	char *text = NULL;
	size_t capacity = 0;

	if (!in)
		return NULL;
	ssize_t bytes = getdelim(&text, &capacity, '\0', in); /* a result has no NUL */
	if (bytes <= 0) {
		free(text);
		text = NULL;
	}
	*n = bytes < 0 ? 0 : (size_t)bytes;
	fclose(in);
	return text;
}

/* Why this run is not the one that was stored; NULL: it is, and was written to `out`. */
static const char *write_if_stored(const struct saved_run *run, const char *stored, size_t n,
	FILE *out)
{
	const char *wrong;
	char *whole;
	size_t bytes;

	if (!saved_run_whole(run))
		return "the log's run is not whole";
	FILE *to = text_stream(&whole, &bytes);
	saved_write(run, to);
	fclose(to);
	wrong = stored_copy_wrong(whole, bytes, stored, n);
	if (!wrong)
		fwrite(whole, 1, bytes, out);
	free(whole);
	return wrong;
}

/* The run of the log from which the file was made. */
static int import_stored(const struct saved *saved, const char *path, FILE *out)
{
	const char *wrong = "there is no run in the log";
	size_t n;
	char *stored = file_text(path, &n);

	if (!stored)
		return command_error(ME, "%s: %s", path, errno ? strerror(errno) : "it is empty");
	for (size_t i = 0; i < saved->nruns && wrong; i++)
		wrong = write_if_stored(&saved->runs[i], stored, n, out);
	free(stored);
	if (!wrong)
		return EXIT_OK;
	command_error(ME, "%s is not the same result: %s", path, wrong);
	return EXIT_NO;
}

static int import_log(const struct arguments *arguments, FILE *in, struct saved *saved, FILE *out)
{
	char *all;
	size_t n;
	FILE *to = text_stream(&all, &n);

	errno = 0;
	serial_save(saved, in, to);
	fclose(to);
	int code = saved_whole(saved) ? EXIT_OK : EXIT_NO;
	if (ferror(in))
		code = command_error(ME, "%s: %s", arguments->serial, strerror(errno));
	else if (!saved->kept)
		code = command_error(ME, "%s: no result line with a right checksum",
			arguments->serial);
	else if (arguments->stored)
		code = import_stored(saved, arguments->stored, out);
	if (!arguments->stored)
		fwrite(all, 1, n, out);
	free(all);
	return code;
}

static int import_serial(const struct arguments *arguments, FILE *out)
{
	const char *path = arguments->serial;
	FILE *in = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	struct saved saved;

	if (!in)
		return command_error(ME, "%s: %s", path, strerror(errno));
	int code = import_log(arguments, in, &saved, out);
	saved_print(&saved, stderr);
	saved_free(&saved);
	if (in != stdin)
		fclose(in);
	return code;
}

static int no_variables(const char *where)
{
	if (strcmp(where, firmware) || errno != ENOENT)
		return command_error(ME, "%s: %s", where, strerror(errno));
	return command_error(ME,
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
		return command_error(ME, "%s: %s", dir, why);
	fwrite(text, 1, n, out);
	free(text);
	return EXIT_OK;
}

/* The card in a photograph's QR code. */
static int import_qr(const char *path, FILE *out)
{
	static char lines[QR_CARD_RUN];
	char err[QR_PHOTO_ERROR], *text;
	size_t n, bytes;

	if (qr_photo_read(path, &text, &n, err))
		return command_error(ME, "%s: %s", path, err);
	const char *why = qr_card_read(text, n, lines, sizeof lines, &bytes);

	free(text);
	if (why)
		return command_error(ME, "%s: the QR code's text cannot be used: %s", path, why);
	fwrite(lines, 1, bytes, out);
	return EXIT_OK;
}

static int write_failed(const char *path)
{
	command_error(ME, "cannot write '%s': %s", path, strerror(errno));
	return EXIT_FAILED;
}

/* Opened only now: what was there stays where nothing came, and may itself be the log. */
static int write_out(const char *path, const char *text, size_t n)
{
	if (!strcmp(path, "-")) {
		fwrite(text, 1, n, stdout);
		return finish_output(ME, stdout, EXIT_OK);
	}
	FILE *out = fopen(path, "wb");
	if (!out)
		return write_failed(path);
	bool written = fwrite(text, 1, n, out) == n && !fflush(out) &&
		(!fsync(fileno(out)) || errno == EINVAL || errno == EROFS);
	int code = written ? EXIT_OK : write_failed(path);
	return fclose(out) && written ? write_failed(path) : code;
}

/* Only a result that is safe elsewhere may be deleted. */
static int delete_variables(const struct efivars *vars)
{
	const char *what;

	if (efivars_delete(vars, &what))
		return command_error(ME, "cannot delete '%s': %s", what, strerror(errno));
	fprintf(stderr, "anechoic import: %zu variables deleted\n", vars->n);
	return EXIT_OK;
}

static int import(const struct arguments *arguments)
{
	struct efivars vars = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return command_error(ME, "%s", strerror(errno));
	int code = arguments->serial ? import_serial(arguments, to)
		: arguments->qr      ? import_qr(arguments->qr, to)
				     : import_variables(&vars, arguments->efivars, to);
	bool held = !ferror(to) && !fclose(to);
	if (!held)
		code = command_error(ME, "no memory for the result");
	else if (n && write_out(arguments->out, text, n))
		code = EXIT_FAILED;
	if (code == EXIT_OK && arguments->delete_variables)
		code = delete_variables(&vars);
	efivars_free(&vars);
	free(text);
	return code;
}

static int check_arguments(int argc, const struct arguments *arguments)
{
	if (optind != argc || !!arguments->serial + !!arguments->efivars + !!arguments->qr != 1)
		return command_error(ME,
			"give one of --serial LOG, --efivars[=DIR] and --qr PICTURE; see "
			"`anechoic import --help`");
	if (arguments->stored && !arguments->serial)
		return command_error(ME, "--stored goes with --serial");
	if (arguments->delete_variables && !arguments->efivars)
		return command_error(ME, "--delete goes with --efivars");
	if (arguments->delete_variables && !strcmp(arguments->out, "-"))
		return command_error(ME, "--delete needs --out FILE: what is deleted must be safe");
	return EXIT_OK;
}

static int import_main(int argc, char **argv)
{
	struct arguments arguments = { .out = "-" };
	int code = parse_import(argc, argv, &arguments);

	if (code >= 0)
		return code;
	if (arguments.efivars == firmware && optind + 1 == argc)
		arguments.efivars = argv[optind++]; /* "--efivars DIR" */
	return check_arguments(argc, &arguments) ? EXIT_FAILED : import(&arguments);
}

const struct command command_import = { "import", import_main,
	"takes a result from a serial log or from firmware variables" };
