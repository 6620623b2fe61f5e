/* SPDX-License-Identifier: MIT */
/*
 * The last run beside each value: the newest earlier result on the medium of the same room and the
 * same machine. A few of its lines are kept in memory, also after ExitBootServices. It is searched
 * by file names, which begin with the time: a clock that was set back does not hide it, but a clock
 * that stands still does not tell which is the newest.
 */
#ifndef KERNEL_RESULT_LAST_RUN_H
#define KERNEL_RESULT_LAST_RUN_H

#include "engine/room.h"
#include "engine/infer/since.h"
#include "kernel/firmware/firmware_calls.h"

#define LAST_RUN_BYTES (2 * 160 * 1024) /* for both rooms; a result that does not fit is skipped */

/* Set the memory for kept lines, LAST_RUN_BYTES. NULL: nothing will be found. */
void last_run_setup(void *memory);

#define MACHINE_LINE 768

/* The part of a run line that identifies this machine; identity: with its numbers. */
struct line last_run_machine(struct room *, bool identity, char out[MACHINE_LINE]);

/*
 * Before ExitBootServices: look for the room's last run on the machine of that line, except in the
 * file `own`, which is this run's. memory: to read files into. A file that cannot be read, is not
 * whole or too long is skipped.
 */
void last_run_find(const struct storage *, struct line machine, enum room_kind, const char *own,
	const struct span *memory);

/*
 * Print through say the changes from the last run of that room to these lines, as since_print, and
 * let the end screen show them; nothing if there is no last run. The lines must stay.
 */
void last_run_show(enum room_kind, const char *text, size_t n, card_say *say, void *to);

#endif
