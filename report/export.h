/* SPDX-License-Identifier: MIT */
/* Results in the formats of other tools. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include <stdio.h>

#include "report/results.h"

/*
 * Go benchmark text (golang.org/design/14313-benchmark-format, as benchstat reads it): a line per
 * sample, per row where the samples were thinned away.
 */
void export_benchstat(const struct results *, FILE *out);

/*
 * Google Benchmark JSON, for its tools/compare.py, which prints times by %.0f: a time is that of
 * EXPORT_OPS operations (of EXPORT_OPS bytes, for a bandwidth), and its name says so. Rows that are
 * no times or rates, or not all greater than 0, are left out; returns how many.
 */
#define EXPORT_OPS 1000000
size_t export_gbench(const struct results *, FILE *out);

/* Comma-separated values (RFC 4180) with a head: one record per row, parameters as columns. */
void export_csv(const struct results *, FILE *out);

#endif
