/* SPDX-License-Identifier: MIT */
/*
 * The tables that people read: at most 79 columns, the same on the console and by `show`.
 *
 * A probe's rows fall into tables: each goes on as long as its rows share the unit, which heads the
 * column of the median, and at most three parameters. Fit the rows of one table first, so that its
 * columns are known when its head is printed:
 *
 *	table_begin(&t, mark);
 *	while (rows are left && table_fit(&t, row)) ...
 *	table_head(&t, line); table_row(&t, result, line) for each of them
 */
#ifndef ENGINE_TABLE_H
#define ENGINE_TABLE_H

#include <stddef.h>

#include "engine/bench.h"

#define TABLE_LINE    128 /* bytes that hold any line written here */
#define TABLE_WIDEST  79  /* columns */
#define TABLE_CELL    16  /* bytes that hold a parameter's value */
#define TABLE_COLUMNS 3

struct table {
	struct column {
		const char *name; /* of the parameter */
		unsigned width;
	} columns[TABLE_COLUMNS];
	unsigned ncolumns;
	unsigned variant_width;
	const char *unit; /* NULL: no row yet */
	bool pages;       /* some row has a page size */
	const char *mark; /* "", "EMULATED" or "VIRTUAL": stands in every title */
};

void table_begin(struct table *, const char *mark);
/* Makes the row fit, by a new column where needed. False, with nothing changed: it needs a table
 * of its own. */
bool table_fit(struct table *, const struct row *);
/* "clock: what it is  EMULATED" */
void table_title(const struct table *, const char *probe, const char *what, char line[TABLE_LINE]);
void table_head(const struct table *, char line[TABLE_LINE]);
/* cycles are core cycles; p99 is how far the 99th percentile lies above the median; a star marks a
 * row with disturbed samples. */
void table_row(const struct table *, const struct result *, char line[TABLE_LINE]);
/* The first parameter, "28K"; empty where there is none. */
void table_first(const struct row *, char out[TABLE_CELL]);

/* Rows that complete a curve which has been printed, a few in a line. */

/*
 * Prints the results from `first` on in the order of their first parameter, those of one curve
 * together, under a line that says what they are; nothing where there are none.
 */
void say_points(struct bench *, unsigned first, const char *what);

#endif
