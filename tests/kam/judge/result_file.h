/* SPDX-License-Identifier: MIT */
/* A result file as docs/format.md defines it: its runs, and what is wrong with the file itself. */
#ifndef TESTS_KAM_JUDGE_RESULT_FILE_H
#define TESTS_KAM_JUDGE_RESULT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "tests/kam/judge/tally.h"

#define RUNS_MOST 4

/* One run. Lines are kept in the order of the file. */
struct run_lines {
	json_t *run, *end;
	json_t *rows, *skips, *summaries; /* arrays */
	unsigned lines;
};

struct result_file {
	size_t n;
	struct run_lines runs[RUNS_MOST];
};

/*
 * Reads the file. Damaged lines, wrong numbers of lines and lines outside of a run count as wrong.
 * A file that cannot be read, is no JSON, or has an incomplete run or none ends the program.
 */
void result_file_read(struct result_file *, const char *path, struct tally *);
void result_file_free(struct result_file *);

/* Returns a member, or "" or NAN if there is none of that type. */
const char *text_of(json_t *line, const char *key);
double number_of(json_t *line, const char *key);
double param_of(json_t *row, const char *name);
bool is_row(json_t *row, const char *probe, const char *variant);
/* Returns the first summary line of that name, or NULL. */
json_t *summary_of(const struct run_lines *, const char *name);

#endif
