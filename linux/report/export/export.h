/* SPDX-License-Identifier: MIT */
/* Results in the formats of other tools. */
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "linux/report/reading/results.h"

/*
 * Write all rows, or all summary values, of all runs that the format can express; return how many
 * were left out. There is a run.
 */
typedef size_t export_fn(const struct results *, FILE *out);

/* Formats that have a file of their own. */
export_fn export_bmf, export_lava, export_hwloc;

/* The runs that one export can be of; else they could not be distinguished. */
enum export_runs { ANY_RUNS, ONE_ROOM = 1, ONE_MACHINE = 2 };

struct export_format {
	const char *name, *help;
	const char *left_out; /* "rows ...: the reason"; "": nothing ever is */
	int runs;             /* of enum export_runs */
	export_fn *write;
};

/* The formats of export_formats.inc; the list ends with a NULL name. */
extern const struct export_format export_formats[];

#endif
