/* SPDX-License-Identifier: MIT */
/*
 * The way of room bare's result into a file: it is stored in variables, the machine is reset, and
 * the next start harvests it.
 */
#ifndef KERNEL_RESULT_BARE_RESULT_H
#define KERNEL_RESULT_BARE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/config.h"
#include "kernel/machine.h"

/*
 * Harvest a waiting result and report it; delete it first if the user says store = clear. Call it
 * before ExitBootServices, before anything is measured. Returns true if it is in its file now and
 * was shown, so this start is done. A result that cannot be harvested stays: this start stores
 * nothing.
 */
bool bare_result_harvest(const struct machine *, const struct config *);

/*
 * Before room bare: say where its result will go. Returns false if the room must not be entered,
 * because the last three entries brought no result.
 */
bool bare_result_prepare(const struct machine *, const struct config *);

/*
 * After room bare: store its result, send it over the serial line, and reset the machine to bring
 * it home. Returns only if it is not stored, with the reason.
 */
const char *store_and_reset(const struct machine *);

#endif
