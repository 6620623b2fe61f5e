/* SPDX-License-Identifier: MIT */
/* A run's answers to a source's row. */
#ifndef REPORT_SOURCES_SOURCE_TABLE_H
#define REPORT_SOURCES_SOURCE_TABLE_H

#include "linux/report/reading/results.h"

/* A place on a series: the parameter `by` is x; by NULL: no series. */
struct source_point {
	const char *by;
	double x;
};

/* The answer. `value` is in the quantity's unit; NAN: `reason` says why there is none. */
struct source_answer {
	double value;
	double low, high;           /* bracket of a summary value; else NAN */
	const struct row_data *row; /* the row that it is from; NULL: a summary line, or none */
	const json_t *summary;      /* the summary line that it is from; NULL: a row, or none */
	double times;               /* its numbers times this are in the quantity's unit */
	char *reason;               /* the caller frees it; NULL with a value */
};

/*
 * A source's experiment as a table: its rows in its order, its published figures beside the run's
 * values.
 */

struct source_column {
	const json_t *quantity; /* unit, and optionally a name */
	size_t at;              /* its place among the experiment's quantities */
	const char *machine;    /* of the published figures; NULL: the run's values */
};

struct source_cell {
	const json_t *figure;        /* published, a number or words; NULL: none */
	bool asked;                  /* the run should have an answer */
	struct source_answer answer; /* the run's, if asked */
};

struct source_line {
	char *name;
	double x;                  /* on a series; NAN elsewhere */
	bool title;                /* names the series that follows: no cells */
	struct source_cell *cells; /* [ncolumns] */
};

struct source_table {
	const json_t *experiment;
	struct source_column *columns;
	size_t ncolumns;
	struct source_line *lines;
	size_t nlines;
};

/* Fill the table of one experiment of a source by the run; free it with source_table_free. */
void source_table_fill(struct source_table *, const json_t *source, const json_t *experiment,
	const struct run_data *);
void source_table_free(struct source_table *);

/* Counts over tables. */
struct source_counts {
	size_t cells, answered; /* asked of the run; with a value */
	size_t figures, beside; /* published by the source; with a value of the run beside it */
	size_t empty;           /* tables that ask and have no value at all */
};

/* Print all tables of a source for people, at most 79 columns; `mark` stands in every title. */
void source_print(const json_t *source, const struct run_data *, const char *mark, FILE *out);
/* Returns the tables of a source for programs: docs/format.md, "show --source --json". */
json_t *source_json(const json_t *source, const struct run_data *);

#endif
