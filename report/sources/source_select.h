/* SPDX-License-Identifier: MIT */
/* What of a run answers a source's row. */
#ifndef REPORT_SOURCES_SOURCE_SELECT_H
#define REPORT_SOURCES_SOURCE_SELECT_H

#include "report/reading/results.h"

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

/* Whether the row is what the selector means, wherever it lies on a series. */
bool source_selects(const json_t *selector, const struct row_data *);

/*
 * Answers a selector (member `ours` of sources.json) by the run. Of several rows the one
 * with pages of 2 MiB is taken, else with the largest; with its member `pick` that with the `most`
 * or `least` value.
 */
struct source_answer source_answer_of(const struct run_data *, const json_t *selector,
	const json_t *quantity, struct source_point);

#endif
