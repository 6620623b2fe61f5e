/* SPDX-License-Identifier: MIT */
/* Why a run has nothing that answers a source's row. */
#ifndef REPORT_SOURCES_SOURCE_ABSENT_H
#define REPORT_SOURCES_SOURCE_ABSENT_H

#include "report/sources/source_select.h"

/* No row is what the selector means: a skip line's reason, or what the run says; to be freed. */
char *source_absent(const struct run_data *, const json_t *selector, struct source_point);

/* The row is there, and its member `of` (source_select.c) is not; to be freed. */
char *source_lacks(const struct run_data *, const struct row_data *, const char *of);

#endif
