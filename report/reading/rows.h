/* SPDX-License-Identifier: MIT */
#ifndef REPORT_READING_ROWS_H
#define REPORT_READING_ROWS_H

#include "report/reading/results.h"

/* Adds a `row` line to the run, keeping a reference to it. NULL, or why it cannot be used. */
const char *row_take(struct run_data *, json_t *line);

#endif
