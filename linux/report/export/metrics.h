/* SPDX-License-Identifier: MIT */
/* Summary values of all runs of a room, as other tools keep them from run to run. */
#ifndef REPORT_EXPORT_METRICS_H
#define REPORT_EXPORT_METRICS_H

#include "linux/report/reading/results.h"

/*
 * A summary value of the runs of one room, from those that are at least half sure (UNSURE): their
 * median, and the widest of their brackets. NAN: none knows it; an end that one leaves open.
 */
struct metric {
	const char *unit; /* "": no run measured it */
	double value, low, high;
};

/* The metric of the runs whose room is that of `like`, and that are emulated if it is. */
struct metric metric_of(const struct results *, const struct run_data *like, enum value_id);

#endif
