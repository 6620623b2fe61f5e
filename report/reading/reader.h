/* SPDX-License-Identifier: MIT */
/* Reads results: checks frame, checksums, schema and order of every line. */
#ifndef REPORT_READING_READER_H
#define REPORT_READING_READER_H

#include <stdio.h>

#include "report/reading/results.h"

/*
 * Reads a result from a stream; `name` is what messages call it. Always fills *out (free it with
 * results_free); what was wrong is in out->problems, and only valid lines are in out->runs.
 */
void results_read(struct results *out, FILE *in, const char *name);

/* The same from a file, "-" = standard input. */
void results_read_file(struct results *out, const char *path);

/*
 * The same without rows and skips, which are left out unread: of these lines only crc_all and the
 * counts of the end line are checked. For many files, of which the samples are nearly all bytes.
 */
void results_read_summaries(struct results *out, const char *path);

#endif
