/* SPDX-License-Identifier: MIT */
/* What makes two rows of different results the same measurement. */
#ifndef REPORT_READING_ROW_IDENTITY_H
#define REPORT_READING_ROW_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>

struct parameter {
	const char *name; /* points into the row's json */
	double value;
};

#define PARAMETERS_MOST 32

/* A row line's parameters, sorted by name; returns how many. */
size_t row_parameters(const json_t *row, struct parameter out[PARAMETERS_MOST]);
/* One of them; NAN: the row does not have it. */
double row_parameter(const json_t *row, const char *name);

/*
 * "probe/variant/bytes=16384/lanes=1 ns/load": probe, variant, sorted parameters (without
 * prefetch=1, which is how rows are that do not say), unit; to be freed. If `loose`, without the
 * page size and, where the row has a level ("l1", ...), with the level instead of its bytes: two
 * rooms may get pages of different sizes for the same row.
 */
char *row_identity(const json_t *row, bool loose);

#endif
