/* SPDX-License-Identifier: MIT */
/*
 * A run as the page shows it, read from the text of its lines: those of a result file, or those
 * that the image has in memory. The text must stay. Of any bytes it makes a run; whether they are a
 * valid result is for the caller to know.
 */
#ifndef PAGE_SHOWN_RUN_H
#define PAGE_SHOWN_RUN_H

#include <stdbool.h>

#include "lib/result_line.h"

struct shown_lines {
	struct line *line;
	size_t n;
};

struct shown_run {
	struct line head, end; /* no line: the run was cut there */
	char room[16];
	struct result_row *rows;
	size_t nrows;
	struct shown_lines summaries, skips;
	char **words; /* that the rows share */
	size_t nwords;
};

void shown_run_read(struct shown_run *, const char *text, size_t n);
/* The same line by line; the run is zeroed at first. */
void shown_run_take(struct shown_run *, struct line);
void shown_run_free(struct shown_run *);

/* The summary line of that name; no line: there is none. */
struct line shown_summary(const struct shown_run *, const char *name);

/* What a row is called by people. */

#define ROW_LABEL 512 /* a longer one is cut off */

/* "pointer-padded 16K 2M-pages": the variant, if that is wanted, and the parameters. */
void row_label(const struct result_row *, bool variant, char out[ROW_LABEL]);

/* " 16K", " 2M-pages", " lanes=4": a parameter as it stands in a label. */
void label_parameter(const char *name, double value, char *out, size_t bytes);

#endif
