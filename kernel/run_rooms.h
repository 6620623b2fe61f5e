/* SPDX-License-Identifier: MIT */
/* A run: room firmware, the exit of boot services, room bare, and each room's result. */
#ifndef KERNEL_RUN_ROOMS_H
#define KERNEL_RUN_ROOMS_H

#include "engine/room.h"
#include "kernel/config.h"
#include "kernel/machine.h"

/*
 * Makes a file of a result that waits; else asks at the prompt and measures the rooms of a run.
 * Returns false if the user cancelled at the prompt.
 */
bool run_rooms(struct room *, struct machine *, struct config *);

#endif
