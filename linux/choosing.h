/* SPDX-License-Identifier: MIT */
/* The options --probe and --room of the commands that read results. */
#ifndef LINUX_CHOOSING_H
#define LINUX_CHOOSING_H

#include "linux/reading.h"

/* Comma-separated names; "": all. Probes may be given with a variant, as for `run`. */
struct choosing {
	const char *rooms, *probes;
};

#define CHOOSE_ALL                                                                                 \
	{                                                                                          \
		"", ""                                                                             \
	}
#define CHOOSING_OPTIONS(c)                                                                        \
	{ .name = "probe", .text = &(c)->probes }, { .name = "probes", .text = &(c)->probes },     \
	{                                                                                          \
		.name = "room", .text = &(c)->rooms                                                \
	}

/*
 * Drops the runs of other rooms, and the rows and skips of other probes. EXIT_OK; EXIT_BAD_INPUT,
 * said, if a name names nothing in any of the files: a misspelt one must not look like an answer.
 */
int choose(const char *command, struct results *files, size_t n, const struct choosing *);

#endif
