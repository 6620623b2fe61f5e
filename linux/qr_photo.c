/* SPDX-License-Identifier: MIT */
#include "linux/qr_photo.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/qr_card.h"

#define READER      "zbarimg"
#define READER_NONE 4   /* its exit code if there is no code in the picture */
#define EXEC_FAILED 127 /* that of a child whose program cannot be started */

/*
 * Sizes of the picture in which the code is looked for, by what ImageMagick, with which the reader
 * opens it, calls them. The grain of a photograph is finer than the code's modules, and gone in a
 * smaller picture; and which size a code is found in is chance. Of 21 disturbed ones of version 31
 * (modules of 4 to 20 pixels) 10 were read as they are, 4 more at 75 %, 6 at 60 %, 1 at 90 %.
 */
static const char *const sizes[] = { "", "[75%]", "[60%]", "[90%]" };

extern char **environ;

static int photo_failed(char err[QR_PHOTO_ERROR], const char *what, const char *more)
{
	snprintf(err, QR_PHOTO_ERROR, "%s%s", what, more);
	return -1;
}

/* What a stream has, to be freed. */
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

/* The last line that is such a text, at the front of them all; false: there is none. */
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
 * 0: *text is the file's, if that is no picture but the text of a code or a serial log with such
 * lines, else NULL.
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

/* Starts the reader with its output to *out; its process, or -1. */
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

/* Each code of the picture in this size is a line; 0: *text, to be freed, is all of them. */
static int read_codes(const char *path, const char *size, char **text, size_t *n,
	char err[QR_PHOTO_ERROR])
{
	char *name;
	FILE *out;
	int status;

	/* not an option, and not one of the names with which ImageMagick means something else */
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

/* Moves the one text of ours to the front of them all. */
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

int qr_photo_read(const char *path, char **text, size_t *n, char err[QR_PHOTO_ERROR])
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
