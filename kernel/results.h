/* SPDX-License-Identifier: MIT */
/*
 * Where result lines go. Every line is kept in memory; in room `firmware` it is also appended to
 * \results\<UTC time>-firmware.ndjson and flushed at once, in room `bare` sent to raw serial.
 */
#ifndef KERNEL_RESULTS_H
#define KERNEL_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/machine.h"
#include "probes/env.h"

/* "\results\" file name of a room's run that started at `utc`, "" where that is not known. */
void result_name(char *out, size_t bytes, const char *utc, const char *room);

/* Starts a room's lines: opens the file in room `firmware`, says so where there can be none. */
void results_open(const struct machine *, enum room);
void results_add(const char *line, size_t n);
/* Closes the file, compares it with what was kept, says what became of it. false: not as kept. */
bool results_close(void);
/* What was kept of this room, and whether lines are missing because memory ran out. */
const char *results_text(size_t *n, bool *cut);

#endif
