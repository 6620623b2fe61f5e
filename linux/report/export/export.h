/* SPDX-License-Identifier: MIT */
/* Results in the formats of other tools. */
#ifndef REPORT_EXPORT_EXPORT_H
#define REPORT_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "linux/report/reading/results.h"

/* Write all rows of all runs that the format can express; return how many were left out. */
typedef size_t export_fn(const struct results *, FILE *out);

struct export_format {
	const char *name, *help;
	bool one_room; /* the runs must all be of one room */
	export_fn *write;
};

/* The formats of export_formats.inc; the list ends with a NULL name. */
extern const struct export_format export_formats[];

#endif
