/* SPDX-License-Identifier: MIT */
/* What of a run answers a source's row. */
#ifndef REPORT_SOURCES_SOURCE_TABLE_H
#define REPORT_SOURCES_SOURCE_TABLE_H

#include "linux/report/reading/results.h"

/* A place on a series: the parameter `by` is x; by NULL: no series. */
struct source_point {
	const char *by;
	double x;
};

/* `value` is in the quantity's unit; NAN: `reason` says why there is none. */
struct source_answer {
	double value;
	double low, high;           /* bracket of a summary value; NAN without one */
	const struct row_data *row; /* from which it is; NULL: from a summary line, or none */
	char *reason;               /* to be freed; NULL with a value */
};

/*
 * A source's experiment as a table: its rows in its order, its published figures beside what a run
 * measured.
 */

struct source_column {
	const json_t *quantity; /* unit, and optionally a name */
	size_t at;              /* its place among the experiment's quantities */
	const char *machine;    /* that of the published figures; NULL: what the run measured */
};

struct source_cell {
	const json_t *figure;        /* published, a number or words; NULL: none */
	bool asked;                  /* the run should have an answer */
	struct source_answer answer; /* the run's, where asked */
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

/* Fills the table of one experiment of a source by the run; free it with source_table_free. */
void source_table_fill(struct source_table *, const json_t *source, const json_t *experiment,
	const struct run_data *);
void source_table_free(struct source_table *);

/* What tables have. */
struct source_counts {
	size_t cells, answered; /* asked of the run, and with a value */
	size_t figures;         /* of the source */
	size_t empty;           /* tables that ask and have no value at all */
};

/* All tables of a source for people, at most 79 columns; `mark` stands in every title. */
void source_print(const json_t *source, const struct run_data *, const char *mark, FILE *out);
/* The same for programs: docs/format.md, "show --source --json". */
json_t *source_json(const json_t *source, const struct run_data *);

#endif
