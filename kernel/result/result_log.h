/* SPDX-License-Identifier: MIT */
/*
 * Where result lines go. Every line is kept in memory; in room `firmware` it is also appended to
 * \results\<UTC time>-firmware.ndjson and flushed at once, in room `bare` sent to raw serial.
 */
#ifndef KERNEL_RESULT_RESULT_LOG_H
#define KERNEL_RESULT_RESULT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/machine.h"
#include "engine/env.h"

#define RESULT_NAME 48

/*
 * Decides what this start's files are called: by the time, and with a number where a dead clock
 * gives a time that was there before. Asks the firmware which files exist.
 */
void results_name(const struct machine *);
/* The file name, within \results\, of a room's run: "20260101T000000Z-bare.ndjson". */
void results_file(char out[RESULT_NAME], enum room);

/* Starts a room's lines: opens the file in room `firmware`, says so where there can be none. */
void results_open(const struct machine *, enum room);
void results_add(const char *line, size_t n);
/* Closes the file, compares it with what was kept, says what became of it. false: not as kept. */
bool results_close(void);
/* What was kept of this room, and whether lines are missing because memory ran out. */
const char *results_text(size_t *n, bool *cut);

#endif
