/* SPDX-License-Identifier: MIT */
/*
 * The ways of result lines. Every line is copied to memory; in room `firmware`, once a second, new
 * lines are appended to \results\<UTC time>-firmware.ndjson and flushed: a stick takes tens of
 * milliseconds for each write. In room `bare` all are sent to raw serial after the room.
 */
#ifndef KERNEL_RESULT_RESULT_LOG_H
#define KERNEL_RESULT_RESULT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/journal.h"
#include "kernel/machine.h"
#include "engine/options.h"
#include "engine/room.h"
#include "lib/stored_result.h"

/*
 * Set the stem of this start's file names. If it is "", choose it: the time, and a number if a file
 * of that name exists, which happens if the clock stands still.
 */
void results_name(const struct machine *, const struct options *, char stem[SERIES_STEM]);
/*
 * The file name, within \results\, of a room's run: "20260101T000000Z-bare.ndjson"; of several runs
 * "20260101T000000Z-bare-1.ndjson": `anechoic compare` takes these for runs of one set.
 */
void results_file(char out[STORED_RESULT_FILE], enum room_kind);
/*
 * Returns true if that file is there and whole, from an earlier start. Uses the memory of the
 * lines.
 */
bool results_there(enum room_kind);
/* Returns true if all lines are there as they were written, by the checksum in the last one. */
bool result_is_whole(const char *text, size_t n);

/*
 * Start a room's lines; in room `firmware` the first of them opens the file. Prints why there is no
 * file; a failure while it is written is printed at once, and the result goes to a new file on the
 * next volume that has \results\. tsc_hz: the TSC's rate.
 */
void results_open(const struct machine *, enum room_kind, double tsc_hz);
void results_add(const char *line, size_t n);
/* Returns true if files go now to the server of a network start, not to a volume. */
bool results_at_server(const struct machine *);
/* The folder of \results\, to follow a file's name: "\n  of \EFI\anechoic"; "": the root. */
const char *results_place(const struct machine *);
/*
 * Close the file, compare it with the copy in memory and print the outcome. A file that cannot be
 * closed (a server says only then that it is full) or reads back otherwise is written anew on the
 * next volume that has \results\.
 */
void results_close(void);
/* The name of the file, if it was closed, read back, and is the same as the lines; else NULL. */
const char *results_filed(void);
/* Send this room's lines to raw serial, as sent_lines does, if there is a port; say so. */
void results_send(void);
/* The copy of this room's lines; the last ones are missing if memory ran out. */
const char *results_text(size_t *n);

#endif
