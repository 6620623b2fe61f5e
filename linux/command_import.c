/* SPDX-License-Identifier: MIT */
/* anechoic import: a result file from a serial log, firmware variables or a photograph. */
#include <getopt.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/commands.h"
#include "linux/efivars.h"
#include "linux/command_line.h"
#include "lib/qr_card.h"
#include "linux/report/allocate.h"
#include "linux/report/reading/serial_log.h"

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

struct import_arguments {
	const char *serial, *stored, *efivars, *qr, *out;
	bool delete_variables;
};

/* Returns -1 to go on; else the exit code. */
static int parse_import(int argc, char **argv, struct import_arguments *arguments)
{
	const struct command_option options[] = {
		{ .name = "serial",
			.argument = " LOG",
			.value = &arguments->serial,
			.help = "takes the result lines out of a captured serial log (-: "
				"standard input), which may have other text, ANSI sequences "
				"and lost bytes in it; every line with a right checksum is "
				"kept, and lost lines are named" },
		{ .name = "stored",
			.argument = " FILE",
			.value = &arguments->stored,
			.help = "with --serial: only the run that FILE was made from, a "
				"result that came home thinned; thinning that run must "
				"give the bytes of FILE, or nothing is written" },
		{ .name = "efivars",
			.argument = "[=DIR]",
			.value = &arguments->efivars,
			.implied = firmware,
			.help = "takes the result that room bare stored in firmware "
				"variables, from " EFIVARS_DIR "\n"
				"or another directory" },
		{ .name = "delete",
			.argument = "",
			.flag = &arguments->delete_variables,
			.help = "deletes those variables once the result is written and "
				"flushed" },
		{ .name = "qr",
			.argument = " PICTURE",
			.value = &arguments->qr,
			.help = "reads the QR code on the last screen of a run out of a "
				"photograph, by the program zbarimg (Debian: zbar-tools), "
				"or out of a file with the text that a telephone's scanner "
				"shows or a serial log has; the result has the card's "
				"values, and no rows" },
		{ .name = "out",
			.letter = 'o',
			.argument = " FILE",
			.value = &arguments->out,
			.help = "the result file (default: -, standard output); not touched "
				"if there is no result" },
	};

	return parse_options(&command, options, sizeof(options) / sizeof(*options), argc, argv);
}

/* --- a serial log --- */

/* The bytes of a file, which the caller frees; NULL with errno, which is 0 if the file is empty. */
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

/* Write the run to `out` if it is the one that was stored. Returns NULL, or why it is not. */
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

/* Write the run of the log from which the file was made. */
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

static int import_log(const struct import_arguments *arguments, FILE *in, struct saved *saved,
	FILE *out)
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

static int import_serial(const struct import_arguments *arguments, FILE *out)
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

/* --- firmware variables --- */

static int no_variables(const char *where)
{
	if (strcmp(where, firmware) || errno != ENOENT)
		return command_error(ME, "%s: %s", where, strerror(errno));
	return command_error(ME,
		EFIVARS_DIR " is not there: this machine was not started by UEFI, or "
			    "efivarfs is not mounted");
}

/* Write the pending result; the caller frees *vars in any case. */
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

/* --- a photograph --- */

/*
 * Read the text of a card's QR code (lib/qr_card.h) out of a photograph or a screen dump. The
 * program zbarimg (Debian: zbar-tools), started as a child, finds and reads the code: it reads
 * every picture format, and users who never import a photograph need none of its forty libraries. A
 * file that has the text itself in a line, from a telephone's scanner or a serial log, is read
 * without it; the last such line counts.
 */
#define QR_PHOTO_ERROR 160

#define READER      "zbarimg"
#define READER_NONE 4   /* its exit code if the picture has no code */
#define EXEC_FAILED 127 /* exit code of a child whose program cannot be started */

/*
 * Sizes of the picture in which the code is searched, as ImageMagick names them, with which the
 * reader opens it. The grain of a photograph is finer than the code's modules, and disappears in a
 * smaller picture; which size works is chance. Of 21 disturbed pictures of version 31 (modules of 4
 * to 20 pixels) 10 were read as they are, 4 more at 75 %, 6 at 60 %, 1 at 90 %.
 */
static const char *const sizes[] = { "", "[75%]", "[60%]", "[90%]" };

extern char **environ;

static int photo_failed(char err[QR_PHOTO_ERROR], const char *what, const char *more)
{
	snprintf(err, QR_PHOTO_ERROR, "%s%s", what, more);
	return -1;
}

/* The whole of a stream, which the caller frees. */
static char *all_of(FILE *in, size_t *n)
{
	char *text = NULL, part[4096];
	FILE *to = open_memstream(&text, n);
	size_t got;

	if (!to)
		return NULL;
	while ((got = fread(part, 1, sizeof part, in)) > 0)
		fwrite(part, 1, got, to);
	return fclose(to) ? NULL : text;
}

/* Move the last line that is such a text to the front. Returns false if there is none. */
static bool choose_last_line(char *text, size_t *n)
{
	const char *end = text + *n, *ours = NULL;
	size_t bytes = 0;

	for (const char *line = text; line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((stop ? stop : end) - line);

		if (qr_card_is(line, length)) {
			ours = line;
			bytes = length;
		}
		line += length + 1;
	}
	if (ours)
		memmove(text, ours, bytes);
	*n = bytes;
	return ours;
}

/*
 * Returns 0 with the file's text in *text if it is not a picture but the text of a code or a serial
 * log with such lines; else with NULL.
 */
static int read_as_text(const char *path, char **text, size_t *n, char err[QR_PHOTO_ERROR])
{
	FILE *in = fopen(path, "rb");

	*text = NULL;
	if (!in)
		return photo_failed(err, strerror(errno), "");
	errno = 0;
	*text = all_of(in, n);
	bool wrong = ferror(in) || !*text;
	int error = errno;

	fclose(in);
	if (wrong) {
		free(*text);
		*text = NULL;
		return photo_failed(err, strerror(error ? error : ENOMEM), "");
	}
	if (!choose_last_line(*text, n)) {
		free(*text);
		*text = NULL;
	}
	return 0;
}

/* Start the reader with its output to *out; returns its process, or -1. */
static pid_t start_reader(const char *path, FILE **out)
{
	char *const args[] = { READER, "--quiet", "--raw", "--nodbus", "-Sdisable",
		"-Sqrcode.enable", (char *)path, NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int ends[2];

	if (pipe(ends))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	posix_spawn_file_actions_addclose(&actions, ends[1]);
	errno = posix_spawnp(&child, READER, &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (errno) {
		close(ends[0]);
		return -1;
	}
	*out = fdopen(ends[0], "rb");
	return child;
}

/*
 * Read the codes of the picture in this size, one a line, into *text, which the caller frees.
 * Returns 0, or -1.
 */
static int read_codes(const char *path, const char *size, char **text, size_t *n,
	char err[QR_PHOTO_ERROR])
{
	char *name;
	FILE *out;
	int status;

	/*
	 * The name must not look like an option, nor like a name that ImageMagick treats specially.
	 */
	if (asprintf(&name, "%s%s%s", *path == '/' ? "" : "./", path, size) < 0)
		return photo_failed(err, strerror(errno), "");
	pid_t child = start_reader(name, &out);

	free(name);
	if (child < 0 && errno == ENOENT)
		return photo_failed(err, READER " is not installed: ",
			"apt-get install zbar-tools, or give a file with the\n"
			"text that a telephone's scanner shows");
	if (child < 0)
		return photo_failed(err, READER ": ", strerror(errno));
	*text = all_of(out, n);
	fclose(out);
	waitpid(child, &status, 0);
	if (!*text)
		return photo_failed(err, strerror(ENOMEM), "");
	if (WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == READER_NONE))
		return 0;
	free(*text);
	return photo_failed(err,
		WIFEXITED(status) && WEXITSTATUS(status) == EXEC_FAILED
			? READER " cannot be started"
			: READER " cannot read it as a picture",
		"");
}

/* Move the one text that is ours to the front. */
static int choose(char *text, size_t *n, char err[QR_PHOTO_ERROR])
{
	const char *end = text + *n, *ours = NULL;
	unsigned codes = 0;
	size_t bytes = 0;

	for (const char *line = text; line < end; codes++) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t length = (size_t)((stop ? stop : end) - line);

		if (qr_card_is(line, length)) {
			if (ours && (length != bytes || memcmp(ours, line, length)))
				return photo_failed(err, "it shows several cards: cut one out", "");
			ours = line;
			bytes = length;
		}
		line += length + 1;
	}
	if (!ours)
		return photo_failed(err,
			codes ? "its QR code is not one of anechoic"
			      : "no QR code is found in it: go nearer, straight in front, all of "
				"its white edge\nin the picture, and avoid reflections",
			"");
	memmove(text, ours, bytes);
	*n = bytes;
	return 0;
}

/* Returns 0 with n bytes in *text, which the caller frees; else -1, with the error in err. */
static int qr_photo_read(const char *path, char **text, size_t *n, char err[QR_PHOTO_ERROR])
{
	if (read_as_text(path, text, n, err))
		return -1;
	if (*text)
		return 0;
	int wrong = read_codes(path, sizes[0], text, n, err);

	for (unsigned i = 1; !wrong && !*n && i < sizeof sizes / sizeof *sizes; i++) {
		free(*text);
		wrong = read_codes(path, sizes[i], text, n, err);
	}
	if (wrong)
		return -1;
	if (!choose(*text, n, err))
		return 0;
	free(*text);
	return -1;
}

/* Write the card in a photograph's QR code. */
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

/* --- the command --- */

static int write_failed(const char *path)
{
	command_error(ME, "cannot write '%s': %s", path, strerror(errno));
	return EXIT_FAILED;
}

/*
 * Write the output. The file is opened only now: its old contents stay if nothing was read, and may
 * be the log itself.
 */
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

/* Delete the variables. Only a result that is safe elsewhere may be deleted. */
static int delete_variables(const struct efivars *vars)
{
	const char *what;

	if (efivars_delete(vars, &what))
		return command_error(ME, "cannot delete '%s': %s", what, strerror(errno));
	fprintf(stderr, "anechoic import: %zu variables deleted\n", vars->n);
	return EXIT_OK;
}

static int import(const struct import_arguments *arguments)
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

static int check_arguments(int argc, const struct import_arguments *arguments)
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
	struct import_arguments arguments = { .out = "-" };
	int code = parse_import(argc, argv, &arguments);

	if (code >= 0)
		return code;
	if (arguments.efivars == firmware && optind + 1 == argc)
		arguments.efivars = argv[optind++]; /* "--efivars DIR" */
	return check_arguments(argc, &arguments) ? EXIT_FAILED : import(&arguments);
}

const struct command command_import = { "import", import_main,
	"takes a result from a serial log or from firmware variables" };
