/* SPDX-License-Identifier: MIT */
/* Which rows repeat the experiments of a source: docs/sources.md. */
#ifndef ENGINE_SOURCE_ROWS_H
#define ENGINE_SOURCE_ROWS_H

#include "engine/bench.h"

/* The choices of the setting `source`; SOURCE_NONE: the rows are chosen otherwise. */
enum source {
	SOURCE_NONE,
#define SOURCE(letter, rows) SOURCE_##letter,
#include "engine/source_rows.inc"
#undef SOURCE
	SOURCES
};

/* Whether any row of the probe belongs to the source. */
bool source_has_probe(uint64_t source, const char *probe);
/* Whether this row does: its variant, at a point at which the source has one. */
bool source_has_row(uint64_t source, const char *probe, const struct row *);

#endif
