/* SPDX-License-Identifier: MIT */
/*
 * Takes results out of a captured serial log, which may have other text before, between and behind
 * the lines, ANSI sequences, carriage returns, lost and changed bytes. A line with a right crc is
 * kept. The run line is on the serial line many times (docs/format.md, "On a serial line"): any
 * copy of it is enough.
 */
#ifndef REPORT_READING_SERIAL_LOG_H
#define REPORT_READING_SERIAL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SAVED_ROOM 16

/* One run of the log. */
struct saved_run {
	char room[SAVED_ROOM];
	char **text;  /* [seq]: the line without its newline; NULL: it is lost */
	size_t lines; /* number of lines of the run, as far as it can be known */
	size_t kept;
	bool ended; /* its end line was kept */
	bool wrong; /* all lines are there, but crc_all does not match them */
};

struct saved {
	struct saved_run *runs;
	size_t nruns;
	size_t kept;     /* lines */
	size_t damaged;  /* beginnings of lines without a valid line */
	size_t repeated; /* lines that were there already, except copies of the run line */
};

/* Copy every valid line of `in` once to `out`, run by run, each ended by a newline. */
void serial_save(struct saved *, FILE *in, FILE *out);
void saved_free(struct saved *);

/* Write the lines of one run. */
void saved_write(const struct saved_run *, FILE *out);

/* Returns true if this run, or every run, is whole. */
bool saved_run_whole(const struct saved_run *);
bool saved_whole(const struct saved *);

/* Print the kept and the lost lines, run by run. */
void saved_print(const struct saved *, FILE *out);

/* Comparing a result that room `bare` stored in variables, perhaps thinned, with the whole one. */

/*
 * Check that `stored` is the stored form of the run `whole`: the same bytes, or those of one of the
 * levels of lib/thin.h. Returns NULL if so, else the reason why not.
 */
const char *stored_copy_wrong(const char *whole, size_t n, const char *stored, size_t bytes);

#endif
