/* SPDX-License-Identifier: MIT */
/* The first lines of a start. */
#ifndef KERNEL_BANNER_H
#define KERNEL_BANNER_H

#include "engine/room.h"
#include "kernel/machine.h"

/* The program's name and version. */
void banner_name(void);
/* The machine, in large letters if it is not real hardware, and the TSC's rate by each source. */
void banner_machine(const struct machine *, const struct facts *);

#endif
