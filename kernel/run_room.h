/* SPDX-License-Identifier: MIT */
/* A run in one room, which a fault ends but not the program. */
#ifndef KERNEL_RUN_ROOM_H
#define KERNEL_RUN_ROOM_H

#include "kernel/config.h"
#include "kernel/kernel_room.h"

/* Measures in that room; results_text has its lines afterwards. false: a fault ended the run. */
bool run_room(struct room *, enum room_kind, const struct machine *, const struct config *);

#endif
