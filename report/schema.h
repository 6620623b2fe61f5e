/* SPDX-License-Identifier: MIT */
/* The versions of the result format that are read (docs/format.md). */
#ifndef REPORT_SCHEMA_H
#define REPORT_SCHEMA_H

#include <jansson.h>

/* The version that a run line's `schema` names: 1 or 2; 0: none that this program reads. */
unsigned schema_version(const char *schema);

/* Rewrites a line of anechoic/1, in place, as anechoic/2 has it; other code knows only that. */
void schema_1_to_2(json_t *line);

#endif
