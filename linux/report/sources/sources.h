/* SPDX-License-Identifier: MIT */
/*
 * The sources of the experiments, with the figures that they publish: sources.json, which is built
 * into the program. docs/format.md, "sources.json", describes its members.
 */
#ifndef REPORT_SOURCES_SOURCES_H
#define REPORT_SOURCES_SOURCES_H

#include <jansson.h>

/* The file as text. */
extern const char sources_text[];

/* All sources: an array, which the caller frees by json_decref. */
json_t *sources_load(void);
/* Returns the source of that letter, or NULL. */
const json_t *source_of(const json_t *sources, const char *letter);
/* Returns the letters of the sources in their order, "L M3 P"; the caller frees them. */
char *source_letters(const json_t *sources);

#endif
