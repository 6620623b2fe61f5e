/* SPDX-License-Identifier: MIT */
/* How a run ends: what the configuration asks for, as far as the machine can do it. */
#ifndef KERNEL_END_H
#define KERNEL_END_H

#include "kernel/config.h"
#include "kernel/rooms.h"

/* After a room: goes on, or ends here if it faulted and the configuration says so. */
void end_after(enum left, const struct config *);
/* The end as configured; returns only to go back to the firmware. */
void end_finish(const struct config *);
/* Resets or switches off by the firmware; halts where that fails. */
void end_reset(enum reset_kind) __attribute__((noreturn));
/* Nothing else is left: a reset by every means there is, after time to read the screen. */
void end_of_all(void) __attribute__((noreturn));

#endif
