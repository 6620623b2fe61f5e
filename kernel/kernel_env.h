/* SPDX-License-Identifier: MIT */
/* The rooms `firmware` and `bare` as the measuring code sees them. */
#ifndef KERNEL_KERNEL_ENV_H
#define KERNEL_KERNEL_ENV_H

#include "kernel/config.h"
#include "kernel/machine.h"
#include "engine/env.h"

/* Fills what both rooms share, and the facts of the machine. In the kernel's state. */
void env_open(struct env *, const struct machine *, const struct config *);
/* Prepares a room: starts the other processors. */
void env_enter(struct env *, enum room);
/* On the processor that is to measure: applies the CPU controls. */
void env_begin(struct env *);
/* On the same: restores what was changed on the processors and the arena; also after a fault. */
void env_leave(struct env *);

#endif
