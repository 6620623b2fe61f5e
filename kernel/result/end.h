/* SPDX-License-Identifier: MIT */
/* How a run ends: what the configuration asks for, as far as the machine can do it. */
#ifndef KERNEL_RESULT_END_H
#define KERNEL_RESULT_END_H

#include "kernel/config.h"
#include "kernel/rooms.h"

/* First: the machine whose ends are counted; and how fast its TSC runs, when that is known. */
void end_open(const struct machine *);
void end_pace(double tsc_hz);
/* After a room: goes on, or ends here if it faulted and the configuration says so. */
void end_after(enum left, const struct config *);
/* The end as configured, unless that might begin a loop (kernel/result/ending.h); returns only to go back to
 * the firmware. */
void end_finish(const struct config *);
/* Resets or switches off by the firmware; halts where that fails. */
void end_reset(enum reset_kind) __attribute__((noreturn));
/* Nothing else is left: halts, so that the screen can be read; a reset might do the same again. */
void end_of_all(void) __attribute__((noreturn));

#endif
