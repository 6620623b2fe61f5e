/* SPDX-License-Identifier: MIT */
/* A run in one room, with a way out when something goes wrong in it. */
#ifndef KERNEL_ROOMS_H
#define KERNEL_ROOMS_H

#include "kernel/config.h"
#include "kernel/kernel_env.h"

/* How a room was left. */
enum left { LEFT_COMPLETE, LEFT_WRONG, LEFT_EMPTY, LEFT_FAULTED };

/* Measures in that room; its lines are in results_text afterwards. */
enum left room_run(struct env *, enum room, const struct machine *, const struct config *);

#endif
