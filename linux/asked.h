/* SPDX-License-Identifier: MIT */
/* Which of the experiments that --probes names a run had anything of. */
#ifndef LINUX_ASKED_H
#define LINUX_ASKED_H

#include <stdbool.h>
#include <stddef.h>

#define ASKED_MOST 128 /* names in a list of 255 characters */

struct asked {
	const char *list;
	bool seen[ASKED_MOST]; /* the names of the list, in its order */
};

/* Takes note of a result line. */
void asked_see(struct asked *, const char *line, size_t n);

/*
 * The first probe:variant that no line was about, its length in *n; NULL: none. What variants a
 * probe has is known only once it has planned, so that a misspelt one cannot be refused before.
 */
const char *asked_missing(const struct asked *, size_t *n);

#endif
