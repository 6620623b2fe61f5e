/* SPDX-License-Identifier: MIT */
/*
 * The last run beside each value: the newest earlier result on the medium of the same room and the
 * same machine, of which a few lines are kept in memory, also after ExitBootServices. It is looked
 * for by the names, which begin with the time: a clock that was set back does not hide it, but one
 * that stands still does not tell the newest.
 */
#ifndef KERNEL_RESULT_LAST_RUN_H
#define KERNEL_RESULT_LAST_RUN_H

#include "engine/room.h"
#include "engine/infer/since.h"
#include "kernel/firmware/firmware_calls.h"

#define LAST_RUN_BYTES (2 * 160 * 1024) /* for both rooms; what does not fit is passed over */

/* Memory for what is kept, LAST_RUN_BYTES. NULL: nothing will be found. */
void last_run_setup(void *memory);

#define MACHINE_LINE 512

/* What a run line on this machine says of which it is, with its UUID or without. */
struct line last_run_machine(struct room *, bool uuid, char out[MACHINE_LINE]);

/*
 * Before ExitBootServices: looks for the room's last run on the machine of that line, other than
 * the file `own`, which is that of this run. memory: to read files into. One that cannot be read,
 * is not whole or too long is passed over.
 */
void last_run_find(const struct storage *, struct line machine, enum room_kind, const char *own,
	const struct span *memory);

/*
 * Prints through say what changed from the last run of that room to these lines, as since_print,
 * and has the end screen show it; nothing where there is no last run. The lines must stay.
 */
void last_run_show(enum room_kind, const char *text, size_t n, card_say *say, void *to);

#endif
