/* SPDX-License-Identifier: MIT */
/* The options --probe and --room of the commands that read results. */
#ifndef LINUX_ROW_FILTER_H
#define LINUX_ROW_FILTER_H

#include "linux/command_line.h"

/* Comma-separated names; "": all. Probes may be given with a variant, as for `run`. */
struct row_filter {
	const char *rooms, *probes;
};

extern const char row_filter_probe_help[], row_filter_room_help[];

/* Initialisers: of a struct row_filter; of its options in an array of struct command_option. */
#define ROW_FILTER_ALL                                                                             \
	{                                                                                          \
		"", ""                                                                             \
	}
#define ROW_FILTER_OPTIONS(f)                                                                      \
	{ .name = "probe",                                                                         \
		.argument = " P,...",                                                              \
		.value = &(f)->probes,                                                             \
		.help = row_filter_probe_help },                                                   \
		{ .name = "probes", .value = &(f)->probes },                                       \
	{                                                                                          \
		.name = "room", .argument = " R,...", .value = &(f)->rooms,                        \
		.help = row_filter_room_help                                                       \
	}

/*
 * Drops the runs of other rooms, and the rows and skips of other probes. EXIT_OK; EXIT_FAILED
 * after a message if a name names nothing in any of the files: with a misspelt one, an empty output
 * would look like an answer.
 */
int filter_rows(const char *command, struct results *files, size_t n, const struct row_filter *);

#endif
