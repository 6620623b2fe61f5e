/* SPDX-License-Identifier: MIT */
/* Rooms firmware and bare as the measuring code sees them: struct room filled by the kernel. */
#ifndef KERNEL_KERNEL_ROOM_H
#define KERNEL_KERNEL_ROOM_H

#include "engine/room.h"
#include "kernel/config.h"
#include "kernel/machine.h"

/* Fill the members that both rooms share, and the facts of the machine, in the kernel's state. */
void kernel_room_open(struct room *, const struct machine *, const struct config *);
/* Prepare a room: start the other processors. */
void kernel_room_enter(struct room *, enum room_kind);
/* On the processor that measures: apply the CPU controls. */
void kernel_room_begin(struct room *);
/*
 * On the same processor, also after a fault: restores what was changed on the processors and the
 * arena.
 */
void kernel_room_leave(struct room *);
/* Returns true if Esc was pressed in the room last entered. */
bool kernel_room_ended(void);

#endif
