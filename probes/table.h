/* SPDX-License-Identifier: MIT */
/* The tables that people read: at most 79 columns, the same on the console and by `show`. */
#ifndef PROBES_TABLE_H
#define PROBES_TABLE_H

#include <stddef.h>

#include "probes/bench.h"

#define TABLE_LINE    128 /* bytes that hold any line written here */
#define TABLE_COLUMNS 3   /* parameters shown; the file has them all */

struct table {
	const char *columns[TABLE_COLUMNS];
	unsigned ncolumns;
	const char *mark; /* "", "EMULATED" or "VIRTUAL": stands in every head */
};

/* Adds the parameters of a row that are not yet columns, as long as there is space. */
void table_fit(struct table *, const struct row *);
/* The title and the column heads. */
void table_head(const struct table *, const char *probe, const char *what,
	char lines[2][TABLE_LINE]);
void table_row(const struct table *, const struct result *, char line[TABLE_LINE]);

/* 1536 -> "1.5K"; at most 6 characters. */
void table_bytes(double bytes, char out[16]);

#endif
