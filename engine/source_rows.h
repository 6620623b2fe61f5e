/* SPDX-License-Identifier: MIT */
/* The request: probes, and rows that repeat a source's experiments (docs/sources.md). */
#ifndef ENGINE_SOURCE_ROWS_H
#define ENGINE_SOURCE_ROWS_H

#include "engine/bench.h"

/*
 * Returns true if the source has this row: its variant, at a point at which the source has one.
 * common_page: of rows that do not compare pages.
 */
bool source_has_row(uint64_t source, const char *probe, const struct row *row, size_t common_page);
/* Returns true if any row of the probe belongs to the source. */
bool source_has_probe(uint64_t source, const char *probe);
/* Returns true if anything of a probe was asked for, by the settings `probes` and `source`. */
bool probe_asked_for(const struct options *, const struct probe *);

#endif
