/* SPDX-License-Identifier: MIT */
/* Which names of the setting `probes` some result line was about. */
#ifndef LINUX_PROBE_MATCHES_H
#define LINUX_PROBE_MATCHES_H

#include <stdbool.h>
#include <stddef.h>

#define PROBE_NAMES_MOST 256 /* in a list of 511 characters */

struct probe_matches {
	const char *list;
	bool matched[PROBE_NAMES_MOST]; /* the names of the list, in its order */
};

/* Marks the names that a result line is about. */
void probe_matches_line(struct probe_matches *, const char *line, size_t n);

/*
 * The first probe:variant that no line was about, its length in *n; NULL: none. Which variants a
 * probe has is known only once it has planned, so that a misspelt one cannot be refused before.
 */
const char *probe_matches_missing(const struct probe_matches *, size_t *n);

#endif
