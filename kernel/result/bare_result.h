/* SPDX-License-Identifier: MIT */
/*
 * How room bare's result becomes a file: it is stored in variables, the machine is reset, and the
 * next start harvests it.
 */
#ifndef KERNEL_RESULT_BARE_RESULT_H
#define KERNEL_RESULT_BARE_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel/config.h"
#include "kernel/machine.h"

/*
 * Harvests the result that waits and says so; deletes it first if the user says store = clear.
 * Before ExitBootServices, before anything is measured. true: it is in its file now and was shown,
 * so this start is done. One that cannot be harvested stays: this start stores nothing.
 */
bool bare_result_harvest(const struct machine *, const struct config *);

/*
 * Before room bare: says where its result will go. false: the room is not to be entered, because
 * the last three entries brought no result.
 */
bool bare_result_prepare(const struct machine *, const struct config *);

/*
 * After room bare: stores its result, sends it over the serial line, and resets the machine to
 * bring it home. Returns only if it is not stored: why.
 */
const char *store_and_reset(const struct machine *);

#endif
