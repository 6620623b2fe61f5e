/* SPDX-License-Identifier: MIT */
/*
 * Reads results: checks frame, checksums, schema and order of every line. Keeps the runs, with
 * their rows, summaries and skips; and the problems found in the file: line and reason.
 */
#ifndef REPORT_READING_RESULTS_H
#define REPORT_READING_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <jansson.h>

#include "lib/result_line.h"
#include "lib/text.h"
#include "lib/values.h"
#include "linux/report/allocate.h"

enum severity {
	SEVERITY_NOTE,   /* worth knowing: the run was interrupted, thinned, ... */
	SEVERITY_DAMAGE, /* a part is missing or wrong; the rest can be used */
};

struct problem {
	enum severity severity;
	unsigned long line; /* from 1; 0: the file as a whole */
	char text[160];
};

#define PROBLEMS_KEPT 20

struct problems {
	struct problem kept[PROBLEMS_KEPT]; /* the first ones */
	unsigned long all;                  /* number of all */
	bool damage;                        /* at least one was SEVERITY_DAMAGE */
};

/* Print one line each: "FILE:LINE: reason". */
void problems_print(const struct problems *, const char *file, FILE *out);

/*
 * A measured row. The numbers of lib/row_statistics.inc are NAN if unknown; but `disturbed` and
 * `outliers` are then 0. Strings are "" if absent.
 */
struct row_data {
	json_t *json;     /* the whole line except "values" */
	struct line line; /* all of it, as it stands in the file */
	const char *probe, *variant, *unit, *level;
	char *identity; /* identifies the row in other results: row_identity */
#define STATISTIC(name, when) double name;
#include "lib/row_statistics.inc"
#undef STATISTIC
	double *values; /* every sample in the order taken */
	size_t nvalues; /* 0 in a thinned result */
};

/* Lines that are only printed: parsed, and as they stand in the file. */
struct printed_lines {
	struct {
		json_t *json;
		struct line line;
	} * list;
	size_t n;
};

struct run_data {
	json_t *head; /* the run line */
	json_t *end;  /* the end line; NULL: the run was cut */
	struct line head_line, end_line;
	const char *room;
	struct row_data *rows;
	size_t nrows;
	struct printed_lines summaries, skips;
};

/* The contents of a file. */
struct results {
	char *name;
	struct run_data *runs;
	size_t nruns;
	char **texts; /* of the lines */
	size_t ntexts;
	struct problems problems;
};

/*
 * Read a result from a stream; `name` is its name in messages. Always fills *out (free it with
 * results_free); problems are in out->problems, and only valid lines are in out->runs.
 */
void results_read(struct results *out, FILE *in, const char *name);

/* Like results_read, from the file `path`; "-" is standard input. */
void results_read_file(struct results *out, const char *path);

/*
 * Like results_read_file, without rows and skips, which are not parsed: only crc_all and the counts
 * of the end line check them. For many files, in which the samples are nearly all bytes.
 */
void results_read_summaries(struct results *out, const char *path);
void results_free(struct results *);
/* Free the data of one run or one row. */
void run_free(struct run_data *);
void row_free(struct row_data *);

/* The summary line of that value, or NULL (its members are then unknown). */
const json_t *run_summary(const struct run_data *, enum value_id);

/* Returns true if that skip line says that a loop computed a wrong result. */
bool skip_disproved(const json_t *skip);

/* The member's text, or "". The member's number, or NAN. */
const char *text_of(const json_t *object, const char *key);
double number_of(const json_t *object, const char *key);
/* The member's number, or `missing` if there is none. */
double number_or(const json_t *object, const char *key, double missing);

#define UNSURE 0.5 /* a value of less confidence is named, or has a question mark */

/* Write which rows a run line says were asked for: "source R", "profile full"; "": unknown. */
#define PLAN_TEXT 40
void run_plan_text(const json_t *head, char out[PLAN_TEXT]);

/* Identity of a measurement, by which rows of different results are matched. */

struct parameter {
	const char *name; /* points into the row's json */
	double value;
};

#define PARAMETERS_MOST 32

/* Write a row line's parameters, sorted by name; returns how many. */
size_t row_parameters(const json_t *row, struct parameter out[PARAMETERS_MOST]);
/* A parameter; NAN: the row does not have it. */
double row_parameter(const json_t *row, const char *name);

/*
 * "probe/variant/bytes=16384/lanes=1 ns/load": probe, variant, sorted parameters (without
 * prefetch=1, the value of rows that do not state it), unit; the caller frees it. If `loose`,
 * without the page size and, if the row has a level ("l1", ...), with the level instead of its
 * bytes: two rooms may get pages of different sizes for the same row.
 */
char *row_identity(const json_t *row, bool loose);

#endif
