/* SPDX-License-Identifier: MIT */
/* The rooms `firmware` and `bare` as the measuring code sees them. */
#ifndef KERNEL_KERNEL_ROOM_H
#define KERNEL_KERNEL_ROOM_H

#include "kernel/config.h"
#include "kernel/machine.h"
#include "engine/room.h"

/* Fills what both rooms share, and the facts of the machine. In the kernel's state. */
void room_open(struct room *, const struct machine *, const struct config *);
/* Prepares a room: starts the other processors. */
void room_enter(struct room *, enum room_kind);
/* On the processor that is to measure: applies the CPU controls. */
void room_begin(struct room *);
/* On the same: restores what was changed on the processors and the arena; also after a fault. */
void room_leave(struct room *);

#endif
