/* SPDX-License-Identifier: MIT */
/*
 * The output of a run. The NDJSON is written line by line, unbuffered: a process that is killed
 * leaves whole lines. The first write of it that fails is remembered and ends the run. Text that
 * nobody takes any more (`| head`, a full disk) ends nothing: the result is measured to its end.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "linux/abandon.h"
#include "linux/hosted.h"

static void output_failed(struct output *o, const char *name)
{
	if (o->error)
		return;
	o->error = errno;
	o->failed = name;
}

/* Empty the file before the first line. Pipes and devices have nothing to cut off (EINVAL). */
static void output_begin(struct output *o)
{
	if (!o->begun && o->results >= 0 && o->results != STDOUT_FILENO &&
		ftruncate(o->results, 0) && errno != EINVAL)
		output_failed(o, o->results_name);
	o->begun = true;
}

static void hosted_write(struct room *room, const char *line, size_t n)
{
	NOT_ABANDONED;
	struct output *o = &hosted_of(room)->output;
	output_begin(o);
	while (o->results >= 0 && !o->error && n) {
		ssize_t wrote = write(o->results, line, n);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0) {
			output_failed(o, o->results_name);
			return;
		}
		line += wrote;
		n -= (size_t)wrote;
	}
}

static void progress_clear(struct output *o)
{
	if (o->line_open)
		fputs("\r\033[K", o->progress);
	o->line_open = false;
}

static void hosted_say(struct room *room, const char *text, size_t n)
{
	NOT_ABANDONED;
	struct output *o = &hosted_of(room)->output;
	progress_clear(o);
	errno = 0;
	if (o->text && !o->text_error && (fwrite(text, 1, n, o->text) != n || fflush(o->text)))
		o->text_error = errno;
}

#define PLAIN_SECONDS 10 /* from one plain line of progress to the next */

static double monotonic_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A line now and then where there is no terminal, whose line could be overwritten. */
static void plain_progress(struct output *o, const char *text, size_t n)
{
	double now = monotonic_s();

	if (now < o->told_s + PLAIN_SECONDS)
		return;
	o->told_s = now;
	fprintf(stderr, "%.*s\n", (int)n, text);
}

static void hosted_progress(struct room *room, const char *text, size_t n, double part)
{
	NOT_ABANDONED;
	struct output *o = &hosted_of(room)->output;
	if (!o->text)
		return;
	if (!o->progress) {
		plain_progress(o, text, n);
		return;
	}
	fprintf(o->progress, "\r\033[K%.*s", (int)n, text);
	fflush(o->progress);
	o->line_open = true;
}

void output_name(char out[OUTPUT_NAME])
{
	char host[65] = "", utc[32];
	time_t now = time(NULL);
	struct tm broken;

	gethostname(host, sizeof(host) - 1);
	for (char *c = host; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-')
			*c = '-';
	strftime(utc, sizeof(utc), "%Y%m%dT%H%M%SZ", gmtime_r(&now, &broken));
	snprintf(out, OUTPUT_NAME, "anechoic-%s-%s.ndjson", utc, *host ? host : "host");
}

/*
 * Open and lock the file: two runs that write one file would mix their lines. Its contents stay,
 * unless `force`. Returns NULL, or the reason of a failure.
 */
static const char *open_exclusive(struct output *o, const char *out, bool force)
{
	struct stat st;
	o->results = open(out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	o->created = o->results >= 0;
	if (!o->created)
		o->results = open(out, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (o->results < 0 || fstat(o->results, &st))
		return strerror(errno);
	if (S_ISREG(st.st_mode) && flock(o->results, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return "another run is writing it";
	if (S_ISREG(st.st_mode) && st.st_size && !force)
		return "it exists; --force overwrites it, --out names another one";
	return NULL;
}

int output_open(struct hosted *h, const char *out, bool force, bool quiet, char *err,
	size_t err_bytes)
{
	struct output *o = &h->output;
	bool to_stdout = out && !strcmp(out, "-");
	*o = (struct output){
		.results = to_stdout ? STDOUT_FILENO : -1,
		.text = quiet       ? NULL
			: to_stdout ? stderr
				    : stdout,
		.progress = !quiet && isatty(STDERR_FILENO) ? stderr : NULL,
		.told_s = monotonic_s(),
	};
	if (out)
		snprintf(o->results_name, sizeof(o->results_name), "%s",
			to_stdout ? "standard output" : out);
	else
		output_name(o->results_name);
	h->room.write = hosted_write;
	h->room.say = hosted_say;
	h->room.progress = hosted_progress;
	if (to_stdout)
		return 0;
	const char *why = open_exclusive(o, out ? out : o->results_name, force);
	if (why)
		snprintf(err, err_bytes, "cannot write '%.400s': %s", o->results_name, why);
	return why ? -1 : 0;
}

/*
 * Flush and close the results. A pipe or a terminal cannot be synchronised (EINVAL, EROFS); nothing
 * is lost by that.
 */
static void flush_results(struct output *o)
{
	if (fsync(o->results) && errno != EINVAL && errno != EROFS)
		output_failed(o, o->results_name);
	if (o->results != STDOUT_FILENO && close(o->results))
		output_failed(o, o->results_name);
}

const char *output_saved(const struct output *o)
{
	struct stat st;

	return o->results != STDOUT_FILENO && !fstat(o->results, &st) && S_ISREG(st.st_mode)
		? o->results_name
		: NULL;
}

int output_close(struct hosted *h, char *err, size_t err_bytes)
{
	struct output *o = &h->output;
	progress_clear(o);
	if (!o->begun && o->created)
		unlink(o->results_name);
	if (o->results >= 0)
		flush_results(o);
	o->results = -1;
	if (o->error)
		snprintf(err, err_bytes, "writing to %s failed: %s; the lines before it are whole",
			o->failed, strerror(o->error));
	else if (o->text_error)
		snprintf(err, err_bytes,
			"writing to standard %s failed: %s; the result is in %.256s",
			o->text == stdout ? "output" : "error", strerror(o->text_error),
			o->results_name);
	/* A reader that left has what it wanted. */
	return o->error || (o->text_error && o->text_error != EPIPE) ? -1 : 0;
}
