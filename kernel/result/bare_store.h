/* SPDX-License-Identifier: MIT */
/* After room bare: its result is stored, and the machine is reset to bring it home. */
#ifndef KERNEL_RESULT_BARE_STORE_H
#define KERNEL_RESULT_BARE_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/machine.h"

/*
 * limit: bytes of variables that the result may take; 0: it is not stored, and why_not. wanted_so:
 * by the user. keep_count: of entries of room bare, although the room came to its end.
 */
void bare_store_open(size_t limit, const char *why_not, bool wanted_so, bool keep_count);

/*
 * Stores the result, sends it over the serial line, and resets if it is stored. Returns otherwise:
 * NULL, or why a result that was to be stored is not, so that the screen must be read.
 */
const char *bare_store(const struct machine *);

#endif
