/* SPDX-License-Identifier: MIT */
/*
 * Where result lines go. Every line is copied to memory; in room `firmware` it is also appended to
 * \results\<UTC time>-firmware.ndjson and flushed at once, in room `bare` sent to raw serial.
 */
#ifndef KERNEL_RESULT_RESULT_LOG_H
#define KERNEL_RESULT_RESULT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/machine.h"
#include "engine/env.h"
#include "lib/stored_result.h"

/*
 * Chooses the names of this start's files: by the time, and with a number if a file of that name
 * exists, which is so where the clock stands still.
 */
void results_name(const struct machine *);
/* The file name, within \results\, of a room's run: "20260101T000000Z-bare.ndjson". */
void results_file(char out[STORED_RESULT_FILE], enum room);

/* Starts a room's lines; opens the file in room `firmware`, or prints why there is none. */
void results_open(const struct machine *, enum room);
void results_add(const char *line, size_t n);
/* Closes the file, compares it with the copy in memory and prints the outcome. */
void results_close(void);
/* The copy of this room's lines; the last ones are missing if memory ran out. */
const char *results_text(size_t *n);

#endif
