/* SPDX-License-Identifier: MIT */
/* A run as text again: its lines, as page/shown_run.h reads them. */
#ifndef REPORT_READING_JSON_TEXT_H
#define REPORT_READING_JSON_TEXT_H

#include "report/reading/results.h"

/*
 * The lines that are left of the run, a number each as the shortest text that reads back as the
 * same; without the marks of a result file (seq and checksums are those of the file). *bytes: its
 * length. To be freed.
 */
char *json_text_of(const struct run_data *, size_t *bytes);

#endif
