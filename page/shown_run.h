/* SPDX-License-Identifier: MIT */
/*
 * A run for the page, read from the text of its lines: a result file's, or the image's in memory.
 * The text must stay. Any bytes make a run; the caller knows whether they are a valid result.
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
	char **words; /* strings that the rows share */
	size_t nwords;
};

void shown_run_read(struct shown_run *, const char *text, size_t n);
/* Read a run line by line; the run is zeroed at first. */
void shown_run_take(struct shown_run *, struct line);
void shown_run_free(struct shown_run *);

/* The summary line of that name; no line: there is none. */
struct line shown_summary(const struct shown_run *, const char *name);

/* Labels of rows for people. */

#define ROW_LABEL 512 /* a longer label is cut off */

/* Write "pointer-padded 16K 2M-pages": the variant, if that is wanted, and the parameters. */
void row_label(const struct result_row *, bool variant, char out[ROW_LABEL]);

/* Write a parameter as it stands in a label: " 16K", " 2M-pages", " lanes=4". */
void label_parameter(const char *name, double value, char *out, size_t bytes);

#endif
