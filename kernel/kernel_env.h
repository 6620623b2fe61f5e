/* SPDX-License-Identifier: MIT */
/* The rooms `firmware` and `bare` as the measuring code sees them. */
#ifndef KERNEL_KERNEL_ENV_H
#define KERNEL_KERNEL_ENV_H

#include "kernel/config.h"
#include "kernel/machine.h"
#include "engine/env.h"

/* What both rooms share; facts and the processor's counters are found out here. In our world. */
void env_open(struct env *, const struct machine *, const struct config *);
/* Makes it that room's. */
void env_enter(struct env *, enum room);
/* Gives the processors back as they were; also after a fault. */
void env_leave(struct env *);

#endif
